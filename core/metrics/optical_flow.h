#pragma once

#include <algorithm>
#include <array>
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
    [[nodiscard]] float sample(float x, float y) const {
        return sampleWithin(std::clamp(x, 0.0F, float(width - 1)), std::clamp(y, 0.0F, float(height - 1)));
    }
    /// The same of what it contains().
    [[nodiscard]] float sampleWithin(float x, float y) const {
        const int left = std::min(int(x), std::max(0, width - 2));
        const int top = std::min(int(y), std::max(0, height - 2));
        const int right = std::min(left + 1, width - 1), bottom = std::min(top + 1, height - 1);
        const float u = x - float(left), v = y - float(top);
        return (1 - v) * ((1 - u) * at(left, top) + u * at(right, top)) +
               v * ((1 - u) * at(left, bottom) + u * at(right, bottom));
    }
};

/// Where each pixel of a picture went: what is at (x, y) is at (x + dx, y + dy) in the other one.
struct Flow {
    Plane dx, dy;
};

/// A picture (luma, 0 to 1) as opticalFlow() looks at it: itself, half of it, a quarter, and so on, each with
/// its slopes. Made once for flows there and back.
class FlowPicture {
  public:
    explicit FlowPicture(const Plane& luma);

    struct Level {
        Plane detail;                     ///< without the mean of each pixel's surroundings
        std::array<Plane, 2> slope;       ///< of `detail`, along x and y
        Plane slopeXX, slopeXY, slopeYY;  ///< means of their products over the window
    };
    /// From the whole picture to the smallest.
    [[nodiscard]] const std::vector<Level>& levels() const { return m_levels; }

  private:
    std::vector<Level> m_levels;
};

/// Dense optical flow from `from` to `to`, of one size: Lucas and Kanade's least squares over
/// a window, iterated with warping from coarse to fine over a pyramid (Bouguet 2000).
Flow opticalFlow(const FlowPicture& from, const FlowPicture& to);

}  // namespace reelgrid::metrics
