#pragma once

// Shape legend: B batch, M text positions, I positions of a picture's embedding, C channels of the model.

#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "core/models/layers/time_products.h"
#include "core/models/wan/config.h"
#include "core/models/wan/image_embedder.h"

namespace reelgrid::models::wan {

/// All that depends on the timestep alone; the conditional and the unconditional pass share it.
struct StepEmbedding {
    /// Tokens in a row that share a timestep.
    struct Run {
        at::Tensor temb_1C;         ///< fp32
        at::Tensor modulation_16C;  ///< [1, 6, C] fp32: shift, scale, gate of self-attention, then of the FFN
        std::int64_t tokens = 0;    ///< of no account in the last one, which takes what is left
    };
    std::vector<Run> runs;  ///< in the order of the tokens

    /// All of the runs' tensors, in the same order each time.
    [[nodiscard]] std::vector<at::Tensor*> tensors();
};

/// The checkpoint's condition_embedder: a timestep and a prompt in the model's own channels.
class ConditionEmbedder {
  public:
    ConditionEmbedder(const WanTransformerConfig& config, const weights::WeightScope& scope,
                      TimeProducts timeProducts = TimeProducts::Fp32);

    [[nodiscard]] StepEmbedding::Run embedTimestep(double timestep) const;
    /// text_BMT in any dtype → [B, M, C] in the model's dtype.
    [[nodiscard]] at::Tensor embedText(const at::Tensor& text_BMT) const;
    /// ImageEmbedder's; undefined stays so. Throws Failure(Internal) in a model without one.
    [[nodiscard]] at::Tensor embedImage(const at::Tensor& image) const;

  private:
    [[nodiscard]] at::Tensor sinusoids(double timestep) const;

    std::int64_t m_freqDim;
    at::Tensor m_frequencies_1F;  ///< fp32, on the model's device; undefined where angles are float64's
    at::Device m_device;
    at::ScalarType m_timeDtype;           ///< of the embedding between the layers that make it and m_timeProj
    Linear m_timeLinear1, m_timeLinear2;  ///< in what TimeProducts says
    Linear m_timeProj;
    Linear m_textLinear1, m_textLinear2;
    std::optional<ImageEmbedder> m_image;
};

/// 10000^(-k / half) for k < half = dim / 2: [1, half] fp32.
at::Tensor sinusoidalFrequencies(std::int64_t dim, at::Device device);
/// cos and sin of timestep · frequency: [1, dim] fp32, cosines first. Queued only: nothing waits for the
/// device.
at::Tensor sinusoidalEmbedding(double timestep, const at::Tensor& frequencies_1F);
/// The same with frequencies and angles in float64, made on the host: not every device has it. Source:
/// TurboDiffusion, rcm/networks/wan2pt1.py (sinusoidal_embedding_1d).
at::Tensor preciseSinusoidalEmbedding(double timestep, std::int64_t dim);

}  // namespace reelgrid::models::wan
