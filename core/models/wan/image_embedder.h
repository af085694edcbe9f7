#pragma once

// Shape legend: P pictures, I positions of a picture's embedding, E its channels, C channels of the model.

#include <ATen/ATen.h>

#include "core/models/layers/linear.h"
#include "core/models/wan/config.h"

namespace reelgrid::models::wan {

/// The checkpoint's image_embedder: what CLIP makes of a picture, or of the first and the last, in the
/// model's own channels.
class ImageEmbedder {
  public:
    ImageEmbedder(const WanTransformerConfig& config, const weights::WeightScope& scope);

    /// image_PIE in any dtype → [1, P·I, C] in the model's dtype. Throws Failure(BadUsage) unless P·I is the
    /// number of positions that the model has learned, where it has learned any.
    [[nodiscard]] at::Tensor forward(const at::Tensor& image_PIE) const;

  private:
    struct LayerNorm {
        at::Tensor weight, bias;  ///< fp32
        LayerNorm(const weights::WeightScope& scope, std::int64_t channels);
        [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const;
    };
    at::ScalarType m_dtype;
    at::Tensor m_posEmbed_1IE;  ///< undefined in models of one picture
    LayerNorm m_norm1, m_norm2;
    Linear m_up, m_down;
};

}  // namespace reelgrid::models::wan
