#include "core/text/tokenizers/code_points.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>

#include "core/base/result.h"
#include "core/text/cleaning/utf8.h"

namespace reelgrid::text {
namespace {

bool isCategoryWithin(char32_t point, utf8proc_category_t first, utf8proc_category_t last) {
    const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(point));
    return first <= category && category <= last;
}

}  // namespace

bool isWhitespace(char32_t point) {
    return (point >= 9 && point <= 13) || point == ' ' || point == 0x85 || point == 0xA0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 || point == 0x202F ||
           point == 0x205F || point == 0x3000;
}

bool isUnicodeLetter(char32_t point) {
    return isCategoryWithin(point, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}

bool isUnicodeNumber(char32_t point) {
    return isCategoryWithin(point, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

std::string lowercase(const std::string& text) {
    std::u32string lower;
    for (const char32_t point : decodeUtf8(text)) {
        lower += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(point)));
        if (point == 0x130) lower.back() = 'i', lower += 0x307;  // the one that becomes two
    }
    return encodeUtf8(lower);
}

std::string composed(std::string_view text) {
    utf8proc_uint8_t* mapped = nullptr;
    const auto length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                     static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
    if (length < 0)
        throw Failure(ErrorCode::InvalidData,
                      std::string("a prompt is no valid text: ") + utf8proc_errmsg(length));
    return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length)};
}

}  // namespace reelgrid::text
