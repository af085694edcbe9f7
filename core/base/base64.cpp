#include "core/base/base64.h"

#include <algorithm>
#include <array>

namespace reelgrid {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> valuesOfDigits() {
    std::array<std::int8_t, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kDigits.size(); ++i)
        values[static_cast<unsigned char>(kDigits[i])] = std::int8_t(i);
    return values;
}

}  // namespace

std::string toBase64(std::span<const std::uint8_t> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) group = (group << 8) | (j < count ? bytes[i + j] : 0U);
        for (std::size_t j = 0; j < 4; ++j) text += j <= count ? kDigits[(group >> (18 - 6 * j)) & 63] : '=';
    }
    return text;
}

std::optional<std::vector<std::uint8_t>> fromBase64(std::string_view text) {
    static constexpr auto kValues = valuesOfDigits();
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && text.size() > padding && text[text.size() - 1 - padding] == '=') ++padding;
    std::vector<std::uint8_t> bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        std::uint32_t group = 0;
        for (std::size_t j = i; j < i + 4; ++j) {
            const bool pads = j + padding >= text.size();
            const int value = pads ? 0 : kValues[static_cast<unsigned char>(text[j])];
            if (value < 0) return std::nullopt;
            group = (group << 6) | std::uint32_t(value);
        }
        for (int shift = 16; shift >= 0; shift -= 8) bytes.push_back(std::uint8_t(group >> shift));
    }
    bytes.resize(bytes.size() - padding);
    return bytes;
}

}  // namespace reelgrid
