#pragma once

#include <ATen/ATen.h>

#include <optional>

#include "core/models/cogvideox/config.h"
#include "core/models/layers/time_products.h"

namespace reelgrid::models::cogvideox {

/// A number's sines and cosines through two linear maps: of the timestep, and of the offset that 1.5's
/// image-to-video model is told. What comes out is fp32 in every dtype.
class TimeEmbedding {
  public:
    TimeEmbedding(const CogVideoXTransformerConfig& config, const weights::WeightScope& scope,
                  TimeProducts products = TimeProducts::Fp32);

    /// [1, T]
    [[nodiscard]] at::Tensor forward(double timestep) const;

  private:
    struct Net {
        std::int64_t channels = 0;
        Linear linear1, linear2;
        static Net load(const weights::WeightScope& scope, std::int64_t channels, std::int64_t out,
                        TimeProducts products);
        [[nodiscard]] at::Tensor forward(double value) const;
    };
    Net m_time;
    std::optional<Net> m_ofs;
};

}  // namespace reelgrid::models::cogvideox
