#include "core/models/wan/rope.h"

#include <string>

#include "core/base/result.h"

namespace reelgrid::models::wan {
namespace {

constexpr double kTheta = 10000.0;
constexpr std::size_t kKeptTables = 4;

/// Angles of positions 0 … length - 1 for an axis that owns `dim` channels: [length, dim / 2], float64.
at::Tensor anglesOfAxis(std::int64_t length, std::int64_t dim) {
    const auto options = at::TensorOptions().dtype(at::kDouble);
    const at::Tensor exponents = at::arange(0, dim, 2, options) / static_cast<double>(dim);
    return at::outer(at::arange(length, options), 1.0 / at::pow(kTheta, exponents));
}

}  // namespace

RotaryPosEmbed::RotaryPosEmbed(std::int64_t headDim, std::int64_t maxLength, at::Device device)
    : m_headDim(headDim), m_maxLength(maxLength), m_device(device) {}

const RopeTable& RotaryPosEmbed::forGrid(const std::array<std::int64_t, 3>& grid) {
    const auto found = m_tables.find(grid);
    if (found != m_tables.end()) return found->second;
    for (const std::int64_t length : grid)
        if (length > m_maxLength)
            throw Failure(ErrorCode::BadUsage, "the clip is " + std::to_string(length) +
                                                   " tokens long on one axis, the model's " +
                                                   "rope_max_seq_len allows " + std::to_string(m_maxLength));
    if (m_tables.size() == kKeptTables) m_tables.clear();
    return m_tables.emplace(grid, make(grid)).first->second;
}

RopeTable RotaryPosEmbed::make(const std::array<std::int64_t, 3>& grid) const {
    const auto [frames, rows, columns] = grid;
    const std::int64_t spatialDim = 2 * (m_headDim / 6);
    const std::int64_t frameDim = m_headDim - 2 * spatialDim;
    const auto everywhere = [&](const at::Tensor& angles) {
        return angles.expand({frames, rows, columns, angles.size(-1)});
    };
    const at::Tensor angles =
        at::cat({everywhere(anglesOfAxis(frames, frameDim).view({frames, 1, 1, -1})),
                 everywhere(anglesOfAxis(rows, spatialDim).view({1, rows, 1, -1})),
                 everywhere(anglesOfAxis(columns, spatialDim).view({1, 1, columns, -1}))},
                -1)
            .view({frames * rows * columns, m_headDim / 2});
    return {angles.cos().to(m_device, at::kFloat), angles.sin().to(m_device, at::kFloat)};
}

}  // namespace reelgrid::models::wan
