#pragma once

#include <QString>
#include <filesystem>

#include "app/studio/comparison.h"
#include "app/studio/playback.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

/// Selects a backend's clip in the grid and stops at the frame in which it is farthest from its reference,
/// where that was measured. False when no clip on show is that backend's.
bool showBackendClip(const Comparison& comparison, Playback& playback, widgets::VideoGrid& grid,
                     const QString& backend);

/// The backend's clip among those beside the clip that a metrics.json belongs to; empty: there is none.
std::filesystem::path clipBeside(const std::filesystem::path& metricsFile, const QString& backend);

}  // namespace reelgrid::studio
