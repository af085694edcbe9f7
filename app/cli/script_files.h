#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/comparison.h"
#include "core/base/result.h"
#include "core/families/script.h"
#include "core/media/labelled_clip.h"

namespace reelgrid::cli {

/// What a script leaves beside a clip in `folder`: results/timing.json and, of a trace named `profile`,
/// traces/NAME/ under its own name. Copies; ours stay where they are.
Result<void> writeScriptFiles(const std::filesystem::path& folder, const std::filesystem::path& clip,
                              const families::Script& script, const std::string& profile);

/// Marks as reused the entries of which another program left a clip under a name that tells backend and size
/// (…_attn_TYPE_HxW.mp4), whatever else that name says, and says so on stderr.
void reuseByName(Comparison& comparison);

/// Such a clip of the backend "default".
std::vector<media::LabelledClip> defaultByName(const Comparison& comparison);

}  // namespace reelgrid::cli
