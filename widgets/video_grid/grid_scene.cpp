#include "widgets/video_grid/grid_scene.h"

#include <cmath>

namespace reelgrid::widgets {

namespace {
constexpr double kGap = 4;  // logical pixels between cells
}  // namespace

std::vector<GridScene::Placed> GridScene::place(const QSize& size, double pixelRatio) const {
    const bool alone = solo >= 0 && solo < int(tiles.size());
    const int count = alone ? 1 : int(tiles.size());
    const auto cells = gridCells(count, size.width(), size.height(), int(std::lround(kGap * pixelRatio)),
                                 alone ? 1 : columns);
    std::vector<Placed> placed;
    for (int i = 0; i < count; ++i) {
        Placed tile{alone ? solo : i, cells[std::size_t(i)], {}};
        if (const auto& frame = tiles[std::size_t(tile.tile)].picture.frame)
            tile.picture = letterbox(tile.cell, frame->width, frame->height);
        placed.push_back(tile);
    }
    return placed;
}

}  // namespace reelgrid::widgets
