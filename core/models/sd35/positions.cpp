#include "core/models/sd35/positions.h"

#include <cmath>
#include <string>

#include "core/base/result.h"

namespace reelgrid::models::sd35 {
namespace {

/// Sines, then cosines of positions [n]: float64 [n, channels].
at::Tensor wavesAt(const at::Tensor& positions, std::int64_t channels) {
    constexpr double kLongest = 10000.0;
    const std::int64_t half = channels / 2;
    const at::Tensor exponents = at::arange(half, at::kDouble) / static_cast<double>(half);
    const at::Tensor angles = positions.unsqueeze(1) * at::exp(exponents * -std::log(kLongest));
    return at::cat({at::sin(angles), at::cos(angles)}, 1);
}

}  // namespace

CroppedPositions::CroppedPositions(const Sd35TransformerConfig& config, const weights::WeightScope& scope)
    : m_size(config.posEmbedMaxSize),
      m_channels(config.innerDim()),
      m_baseSize(config.sampleSize / config.patchSize),
      m_device(scope.device()) {
    if (scope.has("pos_embed")) m_table_1SC = scope.stored("pos_embed", {1, m_size * m_size, m_channels});
}

const at::Tensor& CroppedPositions::of(std::int64_t rows, std::int64_t columns) {
    if (rows == m_rows && columns == m_columns) return m_current_NC;
    if (rows > m_size || columns > m_size)
        throw Failure(ErrorCode::BadUsage, "the picture is " + std::to_string(rows) + "x" +
                                               std::to_string(columns) +
                                               " tokens, the model has positions for " +
                                               std::to_string(m_size) + "x" + std::to_string(m_size));
    m_current_NC = cropped(rows, columns).to(at::kFloat).to(m_device);
    m_rows = rows;
    m_columns = columns;
    return m_current_NC;
}

at::Tensor CroppedPositions::cropped(std::int64_t rows, std::int64_t columns) const {
    const std::int64_t top = (m_size - rows) / 2, left = (m_size - columns) / 2;
    if (m_table_1SC.defined())
        return m_table_1SC.view({m_size, m_size, m_channels})
            .narrow(0, top, rows)
            .narrow(1, left, columns)
            .reshape({rows * columns, m_channels});
    // The table's positions are counted in tokens of the pictures that the model was trained on.
    const auto along = [&](std::int64_t first, std::int64_t count) {
        const double step = static_cast<double>(m_baseSize) / static_cast<double>(m_size);
        return wavesAt(at::arange(first, first + count, at::kDouble) * step, m_channels / 2);
    };
    const at::Tensor ofColumns = along(left, columns).unsqueeze(0).expand({rows, columns, -1});
    const at::Tensor ofRows = along(top, rows).unsqueeze(1).expand({rows, columns, -1});
    return at::cat({ofColumns, ofRows}, -1).view({rows * columns, m_channels});
}

}  // namespace reelgrid::models::sd35
