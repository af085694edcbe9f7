#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/media/clip.h"
#include "core/media/frame.h"
#include "core/media/timed_clip.h"

namespace reelgrid::media {

/// The columns of a grid of `count` pictures when nothing else is asked for: ⌈√count⌉.
int gridColumns(int count);

/// What is asked of a grid; zeros mean the default.
struct GridLayout {
    int columns = 0;     ///< gridColumns()
    Rational fps{0, 1};  ///< the highest of the clips'
    double maxFps = 0;   ///< of the container; 0: none
    int fontSize = 36;   ///< pixels; smaller where the cells are small; 0: no labels
    /// When each clip's frames are due (all by time, or all by index); empty: by time, without shifts.
    std::vector<TimedClip> timing{};
};

/// Where a clip's picture goes: pixels from the grid's left top. Left and top are even, so that 4:2:0
/// samples of neighbours never mix.
struct GridTile {
    int cellLeft = 0;
    int labelTop = 0;
    int left = 0;
    int top = 0;
    int width = 0;
    int height = 0;
    TimedClip clip{};  ///< what it shows at the grid's time t
};

/// The geometry and timing of a grid, before anything is decoded: equal cells, row after row, a strip for the
/// label above each picture; pictures keep their shape and are centred in their cells.
struct GridPlan {
    int columns = 0;
    int rows = 0;
    int cellWidth = 0;
    int cellHeight = 0;  ///< of the picture, without the label
    int labelHeight = 0;
    int fontSize = 0;
    int width = 0;
    int height = 0;
    Rational fps;
    int frameCount = 0;
    std::vector<GridTile> tiles;

    /// When output frame `frame` is shown.
    [[nodiscard]] double secondsOf(int frame) const {
        return double(std::int64_t(frame) * fps.den) / double(fps.num);
    }
};

/// Lays out clips in the order given, which outlive the plan. The grid lasts until the last clip ends; one
/// that ends before holds its last frame, and one that begins later its first. By index the first clip's rate
/// is the default. Cells are as large as the largest clip unless the
/// grid would pass 8192 pixels a side. BadUsage when there is no clip or an option makes no sense.
Result<GridPlan> planGrid(std::span<const ClipInfo* const> clips, const GridLayout& layout);

}  // namespace reelgrid::media
