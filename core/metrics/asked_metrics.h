#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::metrics {

/// What is measured only where it is asked for: it needs weights, or a program.
enum class Asked { Lpips, LpipsSqueeze, Clip, ClipL14, SubjectConsistency, BackgroundConsistency, Vmaf };

struct AskedMetric {
    Asked metric;
    const char* name;     ///< as --metrics takes it
    const char* measure;  ///< its row among kMeasures
    bool needsReference;
    int leastSide = 1;  ///< pixels of the pictures' shorter side
};

inline constexpr std::array kAskedMetrics{
    AskedMetric{Asked::Lpips, "lpips", "lpips", true, 31},
    AskedMetric{Asked::LpipsSqueeze, "lpips_squeeze", "lpips_squeeze", true, 17},
    AskedMetric{Asked::Clip, "clip", "clip_score", false},
    AskedMetric{Asked::ClipL14, "clip_l14", "clip_score", false},
    AskedMetric{Asked::SubjectConsistency, "subject_consistency", "subject_consistency", false},
    AskedMetric{Asked::BackgroundConsistency, "background_consistency", "background_consistency", false},
    AskedMetric{Asked::Vmaf, "vmaf", "vmaf", true},
};

const AskedMetric& infoOf(Asked metric);

/// BadUsage where the metric needs larger pictures than these.
Result<void> requireSides(Asked metric, std::int64_t width, std::int64_t height);

/// "lpips, clip, …": what names there are.
std::string askedNames();

/// BadUsage for a name that there isn't, that comes twice, or whose measure another one is of, too.
Result<std::vector<Asked>> askedFrom(const std::vector<std::string>& names);

}  // namespace reelgrid::metrics
