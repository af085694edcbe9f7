#pragma once

#include <QStringList>
#include <filesystem>
#include <optional>
#include <stop_token>

#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/timing_chart.h"

namespace reelgrid::studio {

/// What the charts and the tile show of one clip.
struct ClipFacts {
    std::optional<widgets::RenderTiming> timing;
    std::optional<widgets::ClipCurves> curves;
    QString label;  ///< what the manifest says that ran; empty when there is none
    QStringList problems;
};

/// Reads a clip's companion files; measures what they lack, against `reference` unless that is empty or the
/// clip itself. Blocks; for a background thread.
ClipFacts readClipFacts(const std::filesystem::path& clip, const std::filesystem::path& reference,
                        const std::stop_token& stop);

}  // namespace reelgrid::studio
