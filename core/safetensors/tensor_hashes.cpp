#include "core/safetensors/tensor_hashes.h"

#include <algorithm>

#include "core/base/result.h"
#include "core/base/sha256.h"
#include "core/safetensors/header.h"

namespace reelgrid::safetensors {
namespace {

std::span<const std::uint8_t> asBytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

std::string hashOf(const std::string& name, ElementType dtype, std::span<const std::int64_t> shape,
                   std::string_view bytes) {
    Sha256 hash;
    hash.add(asBytes(quotedName(name) + " " + nameOf(dtype) + " " + shapeText(shape) + "\n"));
    hash.add(asBytes(bytes));
    return hash.finish();
}

void requireUnchanged(std::string_view file, const std::string& path, Hashes hashes) {
    const TensorEntries tensors = readHeader(file, path);
    auto metadata = readMetadata(file, path);
    const bool hasAny =
        std::ranges::any_of(metadata, [](const auto& kept) { return kept.first.starts_with(kHashPrefix); });
    if (!hasAny && hashes == Hashes::WhereKept) return;
    for (const auto& [name, entry] : tensors) {
        const auto kept = metadata.extract(std::string(kHashPrefix) + name);
        if (kept.empty())
            throw Failure(ErrorCode::InvalidData,
                          path + ": tensor " + quotedName(name) +
                              " has no hash, which says that it is whole: the file is "
                              "damaged, or of an earlier version");
        if (kept.mapped() != hashOf(name, entry.dtype, entry.shape, file.substr(entry.begin, entry.bytes)))
            throw Failure(ErrorCode::InvalidData,
                          path + ": tensor " + quotedName(name) +
                              " isn't what was written (its SHA-256 differs): the file "
                              "is damaged");
    }
    for (const auto& [key, hash] : metadata)
        if (key.starts_with(kHashPrefix))
            throw Failure(ErrorCode::InvalidData,
                          path + ": tensor " + quotedName(key.substr(kHashPrefix.size())) +
                              " is missing, of which there is a hash: the file is damaged");
}

}  // namespace reelgrid::safetensors
