#include "core/models/cogvideox/positions.h"

#include <cmath>
#include <utility>
#include <vector>

namespace reelgrid::models::cogvideox {
namespace {

constexpr double kTheta = 10000.0;

at::TensorOptions wide() {
    return at::TensorOptions().dtype(at::kDouble);
}

at::Tensor counted(std::int64_t length) {
    return at::arange(length, wide());
}

/// Angles of positions for an axis that owns `dim` channels: [length, dim / 2], float64.
at::Tensor anglesOf(const at::Tensor& positions, std::int64_t dim) {
    const at::Tensor exponents = at::arange(0, dim, 2, wide()) / static_cast<double>(dim);
    return at::outer(positions, 1.0 / at::pow(kTheta, exponents));
}

/// Where a picture's rows or columns lie in those that the model was trained on, which it covers in its
/// shape.
struct Crop {
    std::int64_t begin, end;
};

std::pair<Crop, Crop> cropRegion(std::int64_t rows, std::int64_t columns, std::int64_t baseRows,
                                 std::int64_t baseColumns) {
    const auto h = static_cast<double>(rows), w = static_cast<double>(columns);
    const auto th = static_cast<double>(baseRows), tw = static_cast<double>(baseColumns);
    const bool isTall = h / w > th / tw;
    // Rounded half to even, as Python rounds.
    const double height = isTall ? th : std::nearbyint(tw / w * h);
    const double width = isTall ? std::nearbyint(th / h * w) : tw;
    const auto cropOf = [](double base, double size) {
        const auto begin = static_cast<std::int64_t>(std::nearbyint((base - size) / 2));
        return Crop{begin, begin + static_cast<std::int64_t>(size)};
    };
    return {cropOf(th, height), cropOf(tw, width)};
}

at::Tensor stretched(const Crop& crop, std::int64_t length) {
    const auto count = static_cast<double>(length);
    return at::linspace(static_cast<double>(crop.begin), static_cast<double>(crop.end) * (count - 1) / count,
                        length, wide());
}

/// Values of one axis (0 frames, 1 rows, 2 columns) at every token of the grid.
at::Tensor alongAxis(const Grid& grid, std::size_t axis, const at::Tensor& values) {
    std::vector<std::int64_t> shape{1, 1, 1, values.size(-1)};
    shape[axis] = grid[axis];
    return values.view(shape).expand({grid[0], grid[1], grid[2], values.size(-1)});
}

}  // namespace

at::Tensor rotaryPositions(const CogVideoXTransformerConfig& config, const Grid& grid) {
    const auto [frames, rows, columns] = grid;
    at::Tensor ofRows = counted(rows), ofColumns = counted(columns);
    if (!config.patchSizeT) {
        const auto [rowCrop, columnCrop] = cropRegion(rows, columns, config.sampleHeight / config.patchSize,
                                                      config.sampleWidth / config.patchSize);
        ofRows = stretched(rowCrop, rows);
        ofColumns = stretched(columnCrop, columns);
    }
    const std::int64_t frameDim = config.attentionHeadDim / 4, sideDim = config.attentionHeadDim / 8 * 3;
    const at::Tensor angles = at::cat({alongAxis(grid, 0, anglesOf(counted(frames), frameDim)),
                                       alongAxis(grid, 1, anglesOf(ofRows, sideDim)),
                                       alongAxis(grid, 2, anglesOf(ofColumns, sideDim))},
                                      -1)
                                  .flatten(0, 2);
    return at::complex(angles.cos().to(at::kFloat), angles.sin().to(at::kFloat));
}

at::Tensor sinCosPositions(const CogVideoXTransformerConfig& config, const Grid& grid) {
    const std::int64_t frameDim = config.innerDim() / 4, sideDim = config.innerDim() / 8 * 3;
    const auto waves = [](const at::Tensor& positions, std::int64_t dim) {
        const at::Tensor angles = anglesOf(positions, dim);
        return at::cat({angles.sin(), angles.cos()}, -1);
    };
    // The reference's columns come before its rows.
    return at::cat({alongAxis(grid, 0, waves(counted(grid[0]) / config.temporalInterpolationScale, frameDim)),
                    alongAxis(grid, 2, waves(counted(grid[2]) / config.spatialInterpolationScale, sideDim)),
                    alongAxis(grid, 1, waves(counted(grid[1]) / config.spatialInterpolationScale, sideDim))},
                   -1)
        .flatten(0, 2)
        .to(at::kFloat);
}

}  // namespace reelgrid::models::cogvideox
