#pragma once

#include <filesystem>

namespace reelgrid::session {

enum class Preference { First, Second, Neither };

/// Two clips were shown side by side without names, the first one on the left.
struct BlindVote {
    std::filesystem::path first;
    std::filesystem::path second;
    Preference preference = Preference::Neither;
    bool operator==(const BlindVote&) const = default;
};

}  // namespace reelgrid::session
