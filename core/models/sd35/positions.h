#pragma once

// Shape legend: Y rows, X columns of tokens, N = Y·X, C channels, S the positions' own rows and columns.

#include <ATen/ATen.h>

#include "core/models/sd35/config.h"
#include "core/weights/weight_source.h"

namespace reelgrid::models::sd35 {

/// What is added to a picture's tokens: the middle of a table for the largest picture. The table stays in its
/// file; the last picture's part is kept on the device.
class CroppedPositions {
  public:
    /// Takes "pos_embed" [1, S·S, C] where the checkpoint has it, else it is sines and cosines.
    CroppedPositions(const Sd35TransformerConfig& config, const weights::WeightScope& scope);

    /// fp32 [N, C]. Throws Failure(BadUsage) for a picture that is larger than the table.
    [[nodiscard]] const at::Tensor& of(std::int64_t rows, std::int64_t columns);

  private:
    [[nodiscard]] at::Tensor cropped(std::int64_t rows, std::int64_t columns) const;

    std::int64_t m_size, m_channels, m_baseSize;
    at::Device m_device;
    at::Tensor m_table_1SC;  ///< as stored; undefined: computed
    std::int64_t m_rows = 0, m_columns = 0;
    at::Tensor m_current_NC;
};

}  // namespace reelgrid::models::sd35
