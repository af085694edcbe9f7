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

/// Where tiles go: `columns` columns (0: ⌈√n⌉), as many rows as that needs, equal cells with `gap` pixels
/// between them. The same rule as the exported grid's, so that the file looks like the window.
std::vector<PixelRect> gridCells(int tileCount, int width, int height, int gap, int columns = 0);

/// The largest rectangle of a picture's shape inside a cell, centred. A picture that fits without scaling at
/// a whole factor keeps whole pixels.
PixelRect letterbox(const PixelRect& cell, int pictureWidth, int pictureHeight);

}  // namespace reelgrid::widgets
