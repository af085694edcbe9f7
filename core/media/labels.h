#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::media {

/// A clip in a comparison and what to call it.
struct LabelledClip {
    std::filesystem::path path;
    std::string label;
    double offsetSeconds = 0;  ///< at time t of the comparison it shows its own time t + offset
    int offsetFrames = 0;      ///< and from there so many frames further on
};

/// What a clip shows, as its name tells: "cogvideox-2b_sagev1.mp4" and
/// "wan_result_t2v_…_attn_sagev1_480x832.mp4" are both "sagev1"; any other name is its own label, without
/// the extension.
std::string labelOf(const std::filesystem::path& path);

/// Names of clips that renders leave behind, as shell patterns: "cogvideox-*.mp4" and "*_attn_*.mp4".
std::span<const std::string> defaultClipPatterns();

/// The regular files in `folder` whose names match one of the shell patterns (*, ?, [abc]), sorted by name,
/// labelled, without `except` (an earlier grid in the same folder) and what a killed process left unfinished.
/// NotFound when there is none; as entriesOf() where the folder can't be listed.
Result<std::vector<LabelledClip>> findClips(const std::filesystem::path& folder,
                                            std::span<const std::string> patterns,
                                            const std::filesystem::path& except = {});

}  // namespace reelgrid::media
