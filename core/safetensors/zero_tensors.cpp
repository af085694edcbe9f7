#include "core/safetensors/zero_tensors.h"

#include <algorithm>
#include <string_view>

#include "core/safetensors/header.h"
#include "core/safetensors/mapped_file.h"

namespace reelgrid::safetensors {
namespace {

constexpr std::size_t kStretch = std::size_t{64} << 10, kApart = std::size_t{8} << 20;

bool isZero(std::string_view bytes) {
    return bytes.find_first_not_of('\0') == bytes.npos;
}

/// Whether the zeros about a stretch of them begin or end within a row: rows that training never reached do
/// neither.
bool isTorn(std::string_view tensor, std::size_t at, std::size_t rowBytes, std::size_t elementBytes) {
    const std::size_t before = tensor.substr(0, at).find_last_not_of('\0'),
                      behind = tensor.find_first_not_of('\0', at);
    // Numbers beside them may have bytes of zero.
    const std::size_t begin = before == tensor.npos ? 0 : (before / elementBytes + 1) * elementBytes,
                      end = behind == tensor.npos ? tensor.size() : behind / elementBytes * elementBytes;
    return begin % rowBytes != 0 || end % rowBytes != 0;
}

/// Looks at few pages, as a model's weights may be as large as the memory.
bool hasHole(std::string_view tensor, std::size_t rowBytes, std::size_t elementBytes) {
    if (tensor.size() < kStretch) return false;
    std::vector<std::size_t> places{tensor.size() - kStretch};
    for (std::size_t at = kApart; at + kStretch <= tensor.size(); at += kApart) places.push_back(at);
    return std::ranges::any_of(places, [&](std::size_t at) {
        return isZero(tensor.substr(at, kStretch)) && isTorn(tensor, at, rowBytes, elementBytes);
    });
}

}  // namespace

std::vector<std::string> zeroedMatricesIn(const std::filesystem::path& file) {
    constexpr std::uint64_t kFewest = 64;
    const auto mapped = MappedFile::open(file);
    std::vector<std::string> found;
    for (const auto& [name, tensor] : readHeader(mapped->bytes(), file.string())) {
        if (tensor.shape.size() < 2 || tensor.elements() < kFewest) continue;
        const std::string_view bytes = mapped->bytes().substr(tensor.begin, tensor.bytes);
        const std::size_t rowBytes = bytes.size() / static_cast<std::size_t>(tensor.shape.front());
        if (isZero(bytes) || hasHole(bytes, rowBytes, bytesOf(tensor.dtype))) found.push_back(name);
    }
    return found;
}

}  // namespace reelgrid::safetensors
