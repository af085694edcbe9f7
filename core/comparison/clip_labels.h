#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/media/labelled_clip.h"

namespace reelgrid::comparison {

/// What a clip shows, as its name tells: "wan_result_t2v_…_attn_sagev1_480x832.mp4" is "sagev1", and so is
/// "cogvideox-2b_sagev1.mp4", since clips that begin like a family's (families::Family::clipPrefix) end in
/// it; any other name is its own label, without the extension.
std::string labelOf(const std::filesystem::path& path);

/// Names of clips that renders leave behind, as shell patterns: "*_attn_*.mp4", and "cogvideox-*.mp4"
/// likewise.
std::span<const std::string> defaultClipPatterns();

/// The regular files in `folder` whose names match one of the shell patterns (*, ?, [abc]), sorted by name,
/// labelled, without `except` (an earlier grid in the same folder) and what a killed process left unfinished.
/// NotFound when there is none; as entriesOf() where the folder can't be listed.
Result<std::vector<media::LabelledClip>> findClips(const std::filesystem::path& folder,
                                                   std::span<const std::string> patterns,
                                                   const std::filesystem::path& except = {});

}  // namespace reelgrid::comparison
