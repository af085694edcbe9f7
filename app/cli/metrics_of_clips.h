#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/metric_options.h"
#include "core/media/clip.h"
#include "core/metrics/clip_metrics.h"

namespace reelgrid::cli {

/// Several clips that one call measures.
struct ClipsToMeasure {
    std::vector<std::string> clips;
    std::string reference;  ///< empty: none
    std::string prompt;     ///< of clips whose own isn't known
    std::string device;
    bool keep = false;  ///< write what was measured into their results
    bool json = false;
};

/// Says where a clip's frames aren't equally long, which are measured one by one, whenever each is shown, and
/// where some are left out. The lines, for a JSON document.
std::vector<std::string> sayRemarks(const std::filesystem::path& clip, const media::ClipInfo& info);

/// Says where a clip and its reference have other numbers of frames or frames a second, or pixels of another
/// shape, and are compared frame by frame as they are coded nevertheless.
void sayUnequal(const std::filesystem::path& clip, const metrics::ClipMetrics& measured,
                const media::ClipInfo& own, const media::ClipInfo& reference);

/// Measures them one after another and prints what came out. A clip that can't be measured is said and keeps
/// the others from nothing; the exit code is then 1.
int measureClips(const ClipsToMeasure& what, MetricOptions& asked);

}  // namespace reelgrid::cli
