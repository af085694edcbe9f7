#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace reelgrid::text {

/// A precompiled_charsmap of a few rules, open to damage. Each node of its trie has a block of 256 units of
/// its own.
struct SmallCharsmap {
    static constexpr std::uint32_t kBlock = 256, kEmpty = 1U << 31, kRule = 1U << 8;
    std::vector<std::uint32_t> units;
    std::string texts;

    static SmallCharsmap of(const std::vector<std::pair<std::string, std::string>>& rules) {
        SmallCharsmap map;
        map.units.assign(2 * kBlock, kEmpty);
        map.units[0] = offset(kBlock);
        for (const auto& [from, to] : rules) map.add(from, to);
        return map;
    }
    static std::uint32_t offset(std::uint32_t units) { return units << 10; }
    /// The unit that stands for the last letter of `text`.
    std::uint32_t& unitOf(const std::string& text) { return units[placeOf(text)]; }
    std::uint32_t& valueOf(const std::string& text) { return units[nodeBehind(placeOf(text))]; }
    [[nodiscard]] std::string bytes() const {
        std::string all;
        append(all, static_cast<std::uint32_t>(units.size() * sizeof(std::uint32_t)));
        for (const std::uint32_t unit : units) append(all, unit);
        return all + texts;
    }

  private:
    void add(const std::string& from, const std::string& to) {
        for (std::size_t i = 1; i <= from.size(); ++i) {
            const std::uint32_t place = placeOf(from.substr(0, i));
            if (units[place] != kEmpty) continue;
            const auto node = static_cast<std::uint32_t>(units.size());
            units[place] = offset(place ^ node) | static_cast<unsigned char>(from[i - 1]);
            units.resize(units.size() + kBlock, kEmpty);
        }
        unitOf(from) |= kRule;
        valueOf(from) = kEmpty | static_cast<std::uint32_t>(texts.size());
        texts += to + '\0';
    }
    [[nodiscard]] std::uint32_t nodeBehind(std::uint32_t place) const { return place ^ (units[place] >> 10); }
    [[nodiscard]] std::uint32_t placeOf(const std::string& text) const {
        std::uint32_t place = 0;
        for (const char letter : text) place = nodeBehind(place) ^ static_cast<unsigned char>(letter);
        return place;
    }
    static void append(std::string& bytes, std::uint32_t number) {
        for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>((number >> shift) & 0xFF);
    }
};

}  // namespace reelgrid::text
