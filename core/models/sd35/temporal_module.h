#pragma once

// Shape legend: F frames, N places of a picture (its tokens), C = H·D channels of H heads.

#include <ATen/ATen.h>

#include <vector>

#include "core/attention/layer_context.h"
#include "core/models/layers/linear.h"
#include "core/models/layers/norms.h"
#include "core/models/sd35/config.h"

namespace reelgrid::models::sd35 {

/// One attention over frames for each block of the transformer, behind the block's attention over a picture:
/// x + to_out(attention of each place's values in all frames to each other, of norm(x) + position). Source:
/// resources/models/demo-animatediff/recipe/sd35_model.py (TemporalModule).
class TemporalModule {
  public:
    TemporalModule(const TemporalConfig& config, const weights::WeightScope& scope);

    /// Adds a block's part to the frames' residual stream [F, N, C], `strength` times. Throws
    /// Failure(BadUsage) for more frames than there are positions.
    void add(ResidualStream& frames_FNC, int layer, double strength,
             const attention::LayerContext& context) const;

    [[nodiscard]] const TemporalConfig& config() const { return m_config; }

    static std::uint64_t weightBytes(const TemporalConfig& config, at::ScalarType dtype);
    /// What add() works in for each token.
    static std::int64_t bytesPerToken(const TemporalConfig& config, at::ScalarType dtype);

  private:
    struct Block {
        NormAffine norm;
        Linear qkv, out;
    };
    TemporalConfig m_config;
    at::ScalarType m_dtype;
    at::Tensor m_positions_FC;
    std::vector<Block> m_blocks;
};

}  // namespace reelgrid::models::sd35
