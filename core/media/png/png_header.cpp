#include "core/media/png/png_header.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/media/png/png_chunks.h"

namespace reelgrid::media {
namespace {

struct ColorType {
    int number;
    unsigned samples;         ///< of a pixel
    unsigned depths;          ///< that a sample may have: their sum, each a power of two
    std::string_view choice;  ///< the same in words
};

constexpr std::array kColorTypes{ColorType{0, 1, 1 + 2 + 4 + 8 + 16, "1, 2, 4, 8 or 16"},
                                 ColorType{2, 3, 8 + 16, "8 or 16"},
                                 ColorType{PngHeader::kIndexed, 1, 1 + 2 + 4 + 8, "1, 2, 4 or 8"},
                                 ColorType{4, 2, 8 + 16, "8 or 16"}, ColorType{6, 4, 8 + 16, "8 or 16"}};

const ColorType* colorTypeOf(int number) {
    const auto* const found = std::ranges::find(kColorTypes, number, &ColorType::number);
    return found == kColorTypes.end() ? nullptr : found;
}

std::string impossible(const std::string& what, int value, const std::string& needed) {
    return "has " + what + " " + std::to_string(value) + ", " + needed + " was needed";
}

}  // namespace

std::uint64_t PngHeader::pixelBits() const {
    const ColorType* const type = colorTypeOf(colorType);
    return type == nullptr ? 0 : type->samples * std::uint64_t(depth);
}

std::optional<std::string> PngHeader::fault() const {
    const ColorType* const type = colorTypeOf(colorType);
    if (type == nullptr) return impossible("colour type", colorType, "0, 2, 3, 4 or 6");
    if (!std::has_single_bit(unsigned(depth)) || (type->depths & unsigned(depth)) == 0)
        return impossible("bit depth", depth,
                          std::string(type->choice) + " beside colour type " + std::to_string(colorType));
    if (compression != 0) return impossible("compression method", compression, "0");
    if (filter != 0) return impossible("filter method", filter, "0");
    if (interlace != 0 && interlace != 1) return impossible("interlace method", interlace, "0 or 1");
    return std::nullopt;
}

std::optional<PngHeader> pngHeaderOf(std::string_view png) {
    constexpr std::size_t kBytes = 13;
    std::optional<PngHeader> header;
    forEachPngChunk(png, [&](const PngChunk& chunk) {
        const std::string_view data = chunk.data;
        if (chunk.type != "IHDR") return true;
        if (data.size() < kBytes) return false;
        const auto byteAt = [&](std::size_t at) { return int(static_cast<unsigned char>(data[at])); };
        header = PngHeader{.width = bigEndian(data.substr(0, 4)),
                           .height = bigEndian(data.substr(4, 4)),
                           .depth = byteAt(8),
                           .colorType = byteAt(9),
                           .compression = byteAt(10),
                           .filter = byteAt(11),
                           .interlace = byteAt(12)};
        return false;
    });
    return header;
}

}  // namespace reelgrid::media
