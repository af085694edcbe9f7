#include "core/safetensors/header.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/safetensors/header_reader.h"
#include "core/safetensors/mapped_file.h"

namespace reelgrid::safetensors {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kShownCharacters = 160;

[[noreturn]] void invalid(const std::string& path, const std::string& what) {
    throw Failure(ErrorCode::InvalidData, path + ": " + what);
}

void checkByteCount(const TensorEntry& entry, const std::string& path, const std::string& name) {
    std::uint64_t needed = bytesOf(entry.dtype);
    for (const std::int64_t extent : entry.shape)
        if (__builtin_mul_overflow(needed, static_cast<std::uint64_t>(extent), &needed))
            invalid(path,
                    "tensor " + quotedName(name) + " has the impossible shape " + shapeText(entry.shape));
    if (needed != entry.bytes)
        invalid(path, "tensor " + quotedName(name) + " of shape " + shapeText(entry.shape) + " has " +
                          std::to_string(entry.bytes) + " bytes, " + std::to_string(needed) + " were needed");
}

/// Each tensor must start where the one before it ends, the first at 0 and the last end with the data.
void checkLayout(const TensorEntries& tensors, std::uint64_t dataBytes, const std::string& path) {
    using Named = std::pair<const std::string, TensorEntry>;
    std::vector<const Named*> byPlace;
    for (const Named& named : tensors) byPlace.push_back(&named);
    std::sort(byPlace.begin(), byPlace.end(), [](const Named* a, const Named* b) {
        return std::pair(a->second.begin, a->second.bytes) < std::pair(b->second.begin, b->second.bytes);
    });
    std::uint64_t covered = 0;
    for (const Named* named : byPlace) {
        const auto& [name, entry] = *named;
        if (entry.begin > dataBytes || entry.bytes > dataBytes - entry.begin)
            invalid(path, "tensor " + quotedName(name) + " needs " + std::to_string(entry.bytes) +
                              " bytes of data from byte " + std::to_string(entry.begin) +
                              ", the file holds " + std::to_string(dataBytes) + " (is it truncated?)");
        if (entry.begin != covered)
            invalid(path, "tensor " + quotedName(name) + " starts at byte " + std::to_string(entry.begin) +
                              " of the data, " + std::to_string(covered) +
                              " was needed: tensors may neither overlap nor leave holes");
        covered += entry.bytes;
    }
    if (covered != dataBytes)
        invalid(path, "its tensors cover " + std::to_string(covered) + " bytes of data, the file holds " +
                          std::to_string(dataBytes));
}

/// The header's JSON, without the length before it.
std::string_view headerText(std::string_view file, const std::string& path) {
    if (file.size() < kLengthBytes)
        invalid(path, "it has " + std::to_string(file.size()) + " bytes, too few for a safetensors file");
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), kLengthBytes);
    if (length > kMaxHeaderBytes || length > file.size() - kLengthBytes)
        invalid(path, "its header would be " + std::to_string(length) + " bytes long, the file has " +
                          std::to_string(file.size()) + " (not a safetensors file, or truncated)");
    return file.substr(kLengthBytes, length);
}

HeaderReader parsed(std::string_view text, const std::string& path) {
    HeaderReader reader(path);
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) invalid(path, reader.why());
    return reader;
}

}  // namespace

TensorEntries readHeader(std::string_view file, const std::string& path) {
    const std::string_view text = headerText(file, path);
    HeaderReader reader = parsed(text, path);
    const std::uint64_t dataStart = kLengthBytes + text.size();
    checkLayout(reader.tensors, file.size() - dataStart, path);
    for (auto& [name, entry] : reader.tensors) {
        checkByteCount(entry, path, name);
        entry.begin += dataStart;
    }
    return std::move(reader.tensors);
}

std::map<std::string, std::string> readMetadata(std::string_view file, const std::string& path) {
    return parsed(headerText(file, path), path).metadata;
}

Result<TensorEntries> readHeaderOf(const std::filesystem::path& file) {
    try {
        return readHeader(MappedFile::open(file)->bytes(), file.string());
    } catch (const Failure& failure) {
        return failure.error();
    }
}

std::string quotedName(const std::string& name) {
    const std::string cut = name.size() > kShownCharacters ? name.substr(0, kShownCharacters) + "…" : name;
    return nlohmann::json(cut).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string shapeText(std::span<const std::int64_t> shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

}  // namespace reelgrid::safetensors
