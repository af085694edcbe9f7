#include "core/weights/safetensors_header.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/result.h"

namespace reelgrid::weights {
namespace {

using nlohmann::json;

struct NamedType {
    const char* name;
    at::ScalarType type;
};
constexpr std::array kTypes{
    NamedType{"F64", at::kDouble},
    NamedType{"F32", at::kFloat},
    NamedType{"F16", at::kHalf},
    NamedType{"BF16", at::kBFloat16},
    NamedType{"F8_E4M3", at::kFloat8_e4m3fn},
    NamedType{"F8_E5M2", at::kFloat8_e5m2},
    NamedType{"I64", at::kLong},
    NamedType{"I32", at::kInt},
    NamedType{"I16", at::kShort},
    NamedType{"I8", at::kChar},
    NamedType{"U8", at::kByte},
    NamedType{"BOOL", at::kBool},
};
constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxDimensions = 16;

[[noreturn]] void invalid(const std::string& path, const std::string& what) {
    throw Failure(ErrorCode::InvalidData, path + ": " + what);
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    return text + "]";
}

std::uint64_t byteCount(const std::vector<std::int64_t>& shape, at::ScalarType dtype,
                        const std::string& where) {
    std::uint64_t bytes = at::elementSize(dtype);
    for (const std::int64_t extent : shape)
        if (extent < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes))
            throw Failure(ErrorCode::InvalidData, where + " has the impossible shape " + shapeText(shape));
    return bytes;
}

TensorEntry readEntry(const json& entry, std::uint64_t dataStart, std::uint64_t dataBytes,
                      const std::string& where) {
    const auto field = [&](const char* key, json::value_t type) -> const json& {
        const auto found = entry.is_object() ? entry.find(key) : entry.end();
        if (!entry.is_object() || found == entry.end() || found->type() != type)
            throw Failure(ErrorCode::InvalidData, where + " has no valid " + key);
        return *found;
    };
    TensorEntry tensor;
    tensor.dtype = scalarTypeOf(field("dtype", json::value_t::string).get<std::string>(), where);
    const json& shape = field("shape", json::value_t::array);
    const json& offsets = field("data_offsets", json::value_t::array);
    const auto allUnsigned = [](const json& list) {
        return std::all_of(list.begin(), list.end(),
                           [](const json& value) { return value.is_number_unsigned(); });
    };
    if (shape.size() > kMaxDimensions || !allUnsigned(shape))
        throw Failure(ErrorCode::InvalidData, where + " has no valid shape");
    if (offsets.size() != 2 || !allUnsigned(offsets))
        throw Failure(ErrorCode::InvalidData, where + " has no valid data_offsets");
    for (const json& extent : shape) tensor.shape.push_back(extent.get<std::int64_t>());
    const auto begin = offsets[0].get<std::uint64_t>();
    const auto end = offsets[1].get<std::uint64_t>();
    if (begin > end || end > dataBytes)
        throw Failure(ErrorCode::InvalidData, where + " lies at bytes " + std::to_string(begin) + " to " +
                                                  std::to_string(end) + ", the file holds " +
                                                  std::to_string(dataBytes) + " (is it truncated?)");
    tensor.begin = dataStart + begin;
    tensor.bytes = end - begin;
    const std::uint64_t needed = byteCount(tensor.shape, tensor.dtype, where);
    if (needed != tensor.bytes)
        throw Failure(ErrorCode::InvalidData, where + " of shape " + shapeText(tensor.shape) + " has " +
                                                  std::to_string(tensor.bytes) + " bytes, " +
                                                  std::to_string(needed) + " were needed");
    return tensor;
}

void checkNoOverlap(const std::map<std::string, TensorEntry>& tensors, const std::string& path) {
    std::vector<const TensorEntry*> byPlace;
    for (const auto& [name, tensor] : tensors)
        if (tensor.bytes > 0) byPlace.push_back(&tensor);
    std::sort(byPlace.begin(), byPlace.end(),
              [](const TensorEntry* a, const TensorEntry* b) { return a->begin < b->begin; });
    for (std::size_t i = 1; i < byPlace.size(); ++i)
        if (byPlace[i - 1]->begin + byPlace[i - 1]->bytes > byPlace[i]->begin)
            invalid(path, "two tensors overlap at byte " + std::to_string(byPlace[i]->begin));
}

}  // namespace

at::ScalarType scalarTypeOf(const std::string& name, const std::string& where) {
    for (const NamedType& entry : kTypes)
        if (name == entry.name) return entry.type;
    throw Failure(ErrorCode::Unsupported, where + " has dtype " + name + ", which can't be read");
}

const char* safetensorsNameOf(at::ScalarType dtype) {
    for (const NamedType& entry : kTypes)
        if (dtype == entry.type) return entry.name;
    throw Failure(ErrorCode::Unsupported, std::string("dtype ") + at::toString(dtype) + " can't be written");
}

std::map<std::string, TensorEntry> readSafetensorsHeader(std::string_view file, const std::string& path) {
    if (file.size() < kLengthBytes)
        invalid(path, "it has " + std::to_string(file.size()) + " bytes, too few for a safetensors file");
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), kLengthBytes);
    if (length > kMaxHeaderBytes || length > file.size() - kLengthBytes)
        invalid(path, "its header would be " + std::to_string(length) + " bytes long, the file has " +
                          std::to_string(file.size()) + " (not a safetensors file, or truncated)");
    const std::string_view text = file.substr(kLengthBytes, length);
    const json header = json::parse(text.begin(), text.end(), nullptr, false);
    if (!header.is_object()) invalid(path, "its header is not a JSON object");

    const std::uint64_t dataStart = kLengthBytes + length;
    std::map<std::string, TensorEntry> tensors;
    for (const auto& [name, entry] : header.items())
        if (name != "__metadata__")
            tensors.emplace(name,
                            readEntry(entry, dataStart, file.size() - dataStart, path + ": tensor " + name));
    checkNoOverlap(tensors, path);
    return tensors;
}

}  // namespace reelgrid::weights
