#include "core/media/png/png_text.h"

#include <zlib.h>

#include <algorithm>

namespace reelgrid::media {
namespace {

/// What a zlib stream unpacks to.
std::string unpackedText(std::string_view packed) {
    constexpr std::size_t kMostUnpacked = std::size_t{1} << 20;
    std::string text(kMostUnpacked, '\0');
    uLongf size = kMostUnpacked;
    const int status = uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                                  reinterpret_cast<const Bytef*>(packed.data()), uLong(packed.size()));
    text.resize(status == Z_OK ? size : 0);
    return text;
}

/// Takes what stands before the next zero byte, and that byte.
std::string_view takeWord(std::string_view& text) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

}  // namespace

std::optional<PngText> pngText(const PngChunk& chunk) {
    const bool isPacked = chunk.type == "zTXt", isInternational = chunk.type == "iTXt";
    if (chunk.type != "tEXt" && !isPacked && !isInternational) return std::nullopt;
    std::string_view data = chunk.data;
    const std::string_view keyword = takeWord(data);
    // Of packed text a byte names the method; there is only this one.
    if (isPacked) return PngText{keyword, data.substr(std::min<std::size_t>(1, data.size())), true};
    if (!isInternational) return PngText{keyword, data};
    if (data.size() < 2) return std::nullopt;
    const bool isCompressed = data[0] == 1;
    data.remove_prefix(2);
    static_cast<void>(takeWord(data));  // its language
    static_cast<void>(takeWord(data));  // the keyword in that language
    return PngText{keyword, data, isCompressed};
}

std::string PngText::text() const {
    return isPacked ? unpackedText(stored) : std::string(stored);
}

}  // namespace reelgrid::media
