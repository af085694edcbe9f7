#include "core/safetensors/zero_tensors.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/safetensors/header.h"
#include "core/safetensors/mapped_file.h"

namespace reelgrid::safetensors {
namespace {

constexpr std::size_t kStretch = std::size_t{64} << 10, kApart = std::size_t{8} << 20;

bool isZero(std::string_view bytes) {
    return bytes.find_first_not_of('\0') == bytes.npos;
}

/// Looks at few pages, as a model's weights may be as large as the memory.
bool hasHole(std::string_view tensor) {
    if (tensor.size() < kStretch) return false;
    if (isZero(tensor.substr(tensor.size() - kStretch))) return true;
    for (std::size_t at = kApart; at + kStretch <= tensor.size(); at += kApart)
        if (isZero(tensor.substr(at, kStretch))) return true;
    return false;
}

bool isTable(const std::string& name) {
    constexpr std::array kMarks{"embed", "shared"};
    return std::ranges::any_of(kMarks, [&](const char* mark) { return name.find(mark) != name.npos; });
}

}  // namespace

std::vector<std::string> zeroedMatricesIn(const std::filesystem::path& file) {
    constexpr std::uint64_t kFewest = 64;
    const auto mapped = MappedFile::open(file);
    std::vector<std::string> found;
    for (const auto& [name, tensor] : readHeader(mapped->bytes(), file.string())) {
        if (tensor.shape.size() < 2 || tensor.elements() < kFewest) continue;
        const std::string_view bytes = mapped->bytes().substr(tensor.begin, tensor.bytes);
        if (isZero(bytes) || (!isTable(name) && hasHole(bytes))) found.push_back(name);
    }
    return found;
}

}  // namespace reelgrid::safetensors
