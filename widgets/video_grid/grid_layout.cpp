#include "widgets/video_grid/grid_layout.h"

#include <algorithm>
#include <cstdint>

#include "core/media/grid_plan.h"

namespace reelgrid::widgets {

std::vector<PixelRect> gridCells(int tileCount, int width, int height, int gap, int columns) {
    std::vector<PixelRect> cells;
    if (tileCount <= 0) return cells;
    if (columns <= 0) columns = media::gridColumns(tileCount);
    columns = std::min(columns, tileCount);
    const int rows = (tileCount + columns - 1) / columns;
    const int cellWidth = std::max(1, (width - gap * (columns - 1)) / columns);
    const int cellHeight = std::max(1, (height - gap * (rows - 1)) / rows);
    // What equal cells leave over goes to the margins, half each side.
    const int left = std::max(0, width - cellWidth * columns - gap * (columns - 1)) / 2;
    const int top = std::max(0, height - cellHeight * rows - gap * (rows - 1)) / 2;
    for (int i = 0; i < tileCount; ++i)
        cells.push_back({left + (i % columns) * (cellWidth + gap), top + (i / columns) * (cellHeight + gap),
                         cellWidth, cellHeight});
    return cells;
}

PixelRect letterbox(const PixelRect& cell, int pictureWidth, int pictureHeight) {
    if (pictureWidth <= 0 || pictureHeight <= 0) return {cell.x, cell.y, 0, 0};
    int width = cell.width;
    int height = int(std::int64_t(cell.width) * pictureHeight / pictureWidth);
    if (height > cell.height) {
        height = cell.height;
        width = int(std::int64_t(cell.height) * pictureWidth / pictureHeight);
    }
    width = std::max(1, width);
    height = std::max(1, height);
    return {cell.x + (cell.width - width) / 2, cell.y + (cell.height - height) / 2, width, height};
}

}  // namespace reelgrid::widgets
