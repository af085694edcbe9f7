#pragma once

#include <vector>

namespace reelgrid::widgets {

/// A rectangle in pixels, y downwards.
struct PixelRect {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
    [[nodiscard]] bool contains(int px, int py) const {
        return px >= x && py >= y && px < x + width && py < y + height;
    }
    bool operator==(const PixelRect&) const = default;
};

enum class Corner { TopLeft, TopRight, BottomLeft, BottomRight };

/// The columns in which pictures of this shape (width by height) are shown largest.
int fillingColumns(int tileCount, int width, int height, int gap, double pictureShape);

/// Where tiles go: `columns` columns, as many rows as that needs, equal cells with `gap` pixels between them;
/// a last row that isn't full stands in the middle.
std::vector<PixelRect> gridCells(int tileCount, int width, int height, int gap, int columns);

/// The largest rectangle of a picture's shape inside a cell, centred. A picture that fits without scaling at
/// a whole factor keeps whole pixels.
PixelRect letterbox(const PixelRect& cell, int pictureWidth, int pictureHeight);

}  // namespace reelgrid::widgets
