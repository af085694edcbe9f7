#pragma once

#include <filesystem>
#include <set>
#include <span>
#include <string>

#include "app/cli/comparison.h"
#include "core/media/labelled_clip.h"

namespace reelgrid::cli {

/// Which clips of other requests lie where a comparison's clips go and will stay there, as their manifests
/// tell: "results/ holds clips of another request (prompt and seed differ), which stay: a.mp4, b.mp4"; empty
/// where there are none.
std::string otherRequestsLine(const Comparison& comparison);

/// Which clips lie in the folders of a suite below `folder` and are none of `own`, its jobs' clips, as a
/// suite with another recipe left them: "out/ holds clips of another suite, which stay:
/// 0001-a-car/results/a.mp4"; empty where there are none.
std::string otherSuiteLine(const std::filesystem::path& folder, const std::set<std::filesystem::path>& own);

/// In what the requests of clips that are put into one grid differ; empty where they are one, or nobody
/// knows.
std::string mixedRequestsLine(std::span<const media::LabelledClip> clips);

}  // namespace reelgrid::cli
