#include "widgets/video_grid/grid_layout.h"

#include <algorithm>
#include <cstdint>
namespace reelgrid::widgets {

namespace {

struct CellSize {
    int rows = 1;
    int width = 1;
    int height = 1;
};

CellSize cellSize(int tileCount, int columns, int width, int height, int gap) {
    const int rows = (tileCount + columns - 1) / columns;
    return {rows, std::max(1, (width - gap * (columns - 1)) / columns),
            std::max(1, (height - gap * (rows - 1)) / rows)};
}

}  // namespace

int fillingColumns(int tileCount, int width, int height, int gap, double pictureShape) {
    int best = 1;
    double widest = 0;
    for (int columns = 1; columns <= tileCount; ++columns) {
        const CellSize cell = cellSize(tileCount, columns, width, height, gap);
        const double pictureWidth = std::min(double(cell.width), cell.height * pictureShape);
        // Of equally large ones the grid with fewer columns.
        if (pictureWidth > widest * 1.001) {
            widest = pictureWidth;
            best = columns;
        }
    }
    return best;
}

std::vector<PixelRect> gridCells(int tileCount, int width, int height, int gap, int columns) {
    std::vector<PixelRect> cells;
    if (tileCount <= 0) return cells;
    columns = std::clamp(columns, 1, tileCount);
    const CellSize cell = cellSize(tileCount, columns, width, height, gap);
    // What equal cells leave over goes to the margins, half each side.
    const auto margin = [gap](int room, int count, int size) {
        return std::max(0, room - size * count - gap * (count - 1)) / 2;
    };
    const int top = margin(height, cell.rows, cell.height);
    for (int i = 0; i < tileCount; ++i) {
        const int inRow = std::min(columns, tileCount - i / columns * columns);
        cells.push_back({margin(width, inRow, cell.width) + (i % columns) * (cell.width + gap),
                         top + (i / columns) * (cell.height + gap), cell.width, cell.height});
    }
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
