#pragma once

// Shape legend: P pictures, C channels, N positions of a picture: its patches behind one for the whole.

#include <ATen/ATen.h>

#include <vector>

#include "core/vision/clip_vision_config.h"
#include "core/weights/weight_source.h"

namespace reelgrid::vision {

/// What becomes of CLIP's vision transformer.
enum class ClipOutput {
    /// The layer before the last, which says more of a picture's places than the last one:
    /// hidden_states[-2], [P, N, C]. Source: transformers 5, modeling_clip.py (CLIPVisionModel).
    LayerBeforeLast,
    /// What CLIP compares with texts: image_embeds, [P, projection_dim] (CLIPVisionModelWithProjection).
    Embedding,
};

/// CLIP's vision transformer.
class ClipVisionEncoder {
  public:
    /// Takes the parameters that the output needs by their checkpoint names, with or without "vision_model."
    /// in front; computes in the scope's dtype on its device.
    ClipVisionEncoder(const ClipVisionConfig& config, const weights::WeightScope& scope,
                      ClipOutput output = ClipOutput::LayerBeforeLast);

    /// pixels_P3YX, image_size square and normalised → the output. Throws Failure(BadUsage) for another size.
    [[nodiscard]] at::Tensor forward(const at::Tensor& pixels_P3YX) const;

    [[nodiscard]] const ClipVisionConfig& config() const { return m_config; }
    /// Of its weights in fp32.
    static std::uint64_t weightBytes(const ClipVisionConfig& config);

  private:
    /// The checkpoint's `weight` and `bias`, of a product or a norm.
    struct Affine {
        at::Tensor weight, bias;
    };
    struct Layer {
        Affine norm1, q, k, v, out, norm2, up, down;
    };
    [[nodiscard]] at::Tensor normed(const at::Tensor& x, const Affine& norm) const;
    [[nodiscard]] at::Tensor attend(const at::Tensor& x_PNC, const Layer& layer) const;
    [[nodiscard]] at::Tensor activated(const at::Tensor& x) const;

    ClipVisionConfig m_config;
    at::Tensor m_classEmbedding_C, m_patchEmbedding, m_positionEmbedding_NC;
    Affine m_preNorm;
    std::vector<Layer> m_layers;
    Affine m_postNorm;           ///< of an embedding, undefined else
    at::Tensor m_projection_PC;  ///< likewise
};

}  // namespace reelgrid::vision
