#include "core/weights/safetensors_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/pending_file.h"
#include "core/safetensors/tensor_hashes.h"
#include "core/weights/scalar_type.h"

namespace reelgrid::weights {
namespace {

using nlohmann::json;
using Named = std::pair<const std::string, at::Tensor>;

constexpr std::size_t kAlignment = 8;

/// Wide elements first, so that every tensor is aligned to its own and a reader can map it.
std::vector<const Named*> orderOf(const std::map<std::string, at::Tensor>& tensors) {
    std::vector<const Named*> order;
    for (const Named& named : tensors) order.push_back(&named);
    std::stable_sort(order.begin(), order.end(), [](const Named* a, const Named* b) {
        return a->second.element_size() > b->second.element_size();
    });
    return order;
}

std::string headerOf(const std::vector<const Named*>& order,
                     const std::map<std::string, std::string>& metadata) {
    json header = json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::size_t offset = 0;
    for (const Named* named : order) {
        const auto& [name, tensor] = *named;
        const std::size_t end = offset + tensor.nbytes();
        header[name] = {{"dtype", safetensors::nameOf(elementTypeOf(tensor.scalar_type()))},
                        {"shape", tensor.sizes().vec()},
                        {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = header.dump();
    text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
    return text;
}

}  // namespace

Result<void> writeSafetensors(const std::filesystem::path& path,
                              const std::map<std::string, at::Tensor>& tensors,
                              const std::map<std::string, std::string>& metadata) {
    const auto order = orderOf(tensors);
    std::string header;
    try {
        header = headerOf(order, metadata);
    } catch (const Failure& failure) {
        return failure.error().in("writing " + path.string());
    }
    auto pending = PendingFile::create(path);
    if (!pending) return pending.error();
    std::ofstream file(pending->path(), std::ios::binary);
    const std::uint64_t length = header.size();
    file.write(reinterpret_cast<const char*>(&length), sizeof length);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    for (const Named* named : order) {
        const at::Tensor plain = named->second.cpu().contiguous();
        file.write(static_cast<const char*>(plain.const_data_ptr()),
                   static_cast<std::streamsize>(plain.nbytes()));
    }
    file.close();
    if (!file) return Error{ErrorCode::Io, "can't write " + path.string() + ": " + std::strerror(errno)};
    return pending->commit();
}

Result<void> writeHashedSafetensors(const std::filesystem::path& path,
                                    const std::map<std::string, at::Tensor>& tensors) {
    std::map<std::string, at::Tensor> plain;
    std::map<std::string, std::string> hashes;
    try {
        for (const auto& [name, tensor] : tensors) {
            const at::Tensor kept = plain[name] = tensor.cpu().contiguous();
            hashes[std::string(safetensors::kHashPrefix) + name] =
                safetensors::hashOf(name, elementTypeOf(kept.scalar_type()), kept.sizes(),
                                    {static_cast<const char*>(kept.const_data_ptr()), kept.nbytes()});
        }
    } catch (const Failure& failure) {
        return failure.error().in("writing " + path.string());
    }
    return writeSafetensors(path, plain, hashes);
}

}  // namespace reelgrid::weights
