#include "core/text/cleaning/windows_1252.h"

#include <array>

namespace reelgrid::text {
namespace {

// The bytes 0x80 to 0x9F; all others are Latin-1's.
constexpr std::array<char32_t, 32> kHigh{0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                         0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,   0x017D, 0x8F,
                                         0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                         0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

}  // namespace

char32_t fromWindows1252(unsigned char byte) {
    return byte >= 0x80 && byte < 0xA0 ? kHigh[byte - 0x80U] : byte;
}

std::optional<unsigned char> toWindows1252(char32_t character) {
    if (character < 0x80 || (character >= 0xA0 && character <= 0xFF))
        return static_cast<unsigned char>(character);
    for (std::size_t i = 0; i < kHigh.size(); ++i)
        if (kHigh[i] == character) return static_cast<unsigned char>(0x80 + i);
    return std::nullopt;
}

}  // namespace reelgrid::text
