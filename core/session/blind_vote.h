#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <utility>

namespace reelgrid::session {

enum class Preference { First, Second, Neither };

/// As files have them.
inline constexpr std::array kPreferenceNames{std::pair(Preference::First, "first"),
                                             std::pair(Preference::Second, "second"),
                                             std::pair(Preference::Neither, "neither")};
inline const char* nameOf(Preference preference) {
    for (const auto& [each, name] : kPreferenceNames)
        if (each == preference) return name;
    return "";
}

/// Two clips were shown side by side without names, the first one on the left.
struct BlindVote {
    std::filesystem::path first;
    std::filesystem::path second;
    Preference preference = Preference::Neither;
    /// Of the two files when they were shown; empty: not said, as by earlier versions.
    std::string firstSha256{}, secondSha256{};
    bool operator==(const BlindVote&) const = default;
};

}  // namespace reelgrid::session
