#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

#include "core/media/stitch.h"
#include "widgets/charts/still_chart.h"
#include "widgets/video_grid/grid_scene.h"

namespace reelgrid::widgets {
class ChartFrame;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

/// What is seen, to be written as a video: taken on the GUI thread, drawn on any.
struct SeenView {
    /// One a tile; without a path the tile has no picture.
    struct Clip {
        std::filesystem::path path;
        session::ClipOffset offset;
    };
    widgets::GridScene scene;  ///< its pictures are not used
    std::vector<Clip> clips;
    QSize pixels;
    double pixelRatio = 1;
    /// Below the scene, where they are asked for, and what is around them.
    struct Chart {
        widgets::StillChart chart;
        QPoint at;
    };
    std::vector<Chart> charts{};
    QColor around{};

    /// Puts them below the scene in one row as wide as that is; their playheads will move with the frames.
    void addCharts(const std::vector<widgets::ChartFrame*>& frames);
    /// Of scene and charts.
    [[nodiscard]] QSize size() const;
};

/// Writes the scene, and its charts, from the range's first to its last frame, or all of it, with its labels,
/// at the size that it has on screen; by the extension an .mp4, .webm or .gif. The rate is the highest of the
/// clips', or of the first clip by frame number. A clip that can't be read says so in its tile. Blocks; a
/// stop request ends it within a frame with Cancelled. After any error there is no file of that name, or the
/// one before.
Result<media::StitchedGrid> exportView(const SeenView& view, const std::filesystem::path& output,
                                       const std::stop_token& stop, const media::StitchProgress& progress);

}  // namespace reelgrid::studio
