#pragma once

#include <cstddef>
#include <vector>

namespace reelgrid::metrics {

/// A picture of one number a pixel, rows from the top.
struct Plane {
    int width = 0, height = 0;
    std::vector<float> values;

    Plane() = default;
    Plane(int wide, int high) : width(wide), height(high), values(std::size_t(wide) * std::size_t(high)) {}
    float& at(int x, int y) { return values[std::size_t(y) * std::size_t(width) + std::size_t(x)]; }
    [[nodiscard]] float at(int x, int y) const {
        return values[std::size_t(y) * std::size_t(width) + std::size_t(x)];
    }
    [[nodiscard]] bool contains(float x, float y) const {
        return x >= 0 && y >= 0 && x <= float(width - 1) && y <= float(height - 1);
    }
    /// Bilinear, the edge's value outside.
    [[nodiscard]] float sample(float x, float y) const;
};

/// Where each pixel of a picture went: what is at (x, y) is at (x + dx, y + dy) in the other one.
struct Flow {
    Plane dx, dy;
};

/// Dense optical flow from `from` to `to` (luma, 0 to 1, of one size): Lucas and Kanade's least squares over
/// a window, iterated with warping from coarse to fine over a pyramid (Bouguet 2000).
Flow opticalFlow(const Plane& from, const Plane& to);

}  // namespace reelgrid::metrics
