#pragma once

// Shape legend: N tokens of one prompt, C channels, P channels of the pooled vector.

#include <ATen/ATen.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/text/encoders/clip_text_config.h"
#include "core/weights/weight_source.h"

namespace reelgrid::text {

/// Of its weights once it is loaded; its table of embeddings stays a memory map.
std::uint64_t clipTextWeightBytes(const ClipTextConfig& config, at::ScalarType dtype);

/// CLIP's text transformer: ViT-L's of Stable Diffusion, and with a projection of the pooled vector bigG's of
/// SD 3. Source: transformers 5, modeling_clip.py (CLIPTextModel, CLIPTextModelWithProjection).
class ClipTextEncoder {
  public:
    /// Whether the pooled vector is read, which alone a text_projection is for.
    enum class Pooled { Read, Unread };

    /// Takes the parameters by their checkpoint names, with or without "text_model." in front; whether there
    /// is a text_projection decides config().projection. Computes in the scope's dtype on its device.
    ClipTextEncoder(const ClipTextConfig& config, const weights::WeightScope& scope,
                    Pooled pooled = Pooled::Read);

    struct Output {
        /// After each layer but the last, the first layer's first, as they are.
        std::vector<at::Tensor> layers_NC;
        at::Tensor last_NC;   ///< after the last layer and the final norm
        at::Tensor pooled_P;  ///< the end's row of last_NC, projected where there is a projection; unread:
                              ///< undefined
    };

    /// From at most max_position_embeddings token ids, padding among them: each token sees itself and those
    /// before it. Throws Failure(InvalidData) for an id outside the vocabulary or too many of them.
    [[nodiscard]] Output forward(std::span<const std::int64_t> ids) const;

    /// What a model of `clipSkip` layers left out is conditioned with: 0 is last_NC, 1 the layer before the
    /// last through the final norm. Throws Failure(BadUsage) unless a layer is left.
    [[nodiscard]] at::Tensor skipping(const Output& output, std::int64_t clipSkip) const;

    [[nodiscard]] const ClipTextConfig& config() const { return m_config; }

  private:
    /// The checkpoint's `weight` and `bias`, of a product or a norm.
    struct Affine {
        at::Tensor weight, bias;
    };
    struct Layer {
        Affine norm1, q, k, v, out, norm2, fc1, fc2;
    };
    [[nodiscard]] at::Tensor embed(std::span<const std::int64_t> ids) const;
    [[nodiscard]] std::int64_t endOf(std::span<const std::int64_t> ids) const;
    [[nodiscard]] at::Tensor normed(const at::Tensor& x_NC, const Affine& norm) const;
    [[nodiscard]] at::Tensor attend(const at::Tensor& x_NC, const Layer& layer) const;
    [[nodiscard]] at::Tensor feedForward(const at::Tensor& x_NC, const Layer& layer) const;

    ClipTextConfig m_config;
    at::TensorOptions m_options;
    Pooled m_pooled;
    at::Tensor m_token_embedding;     ///< as stored
    std::string m_embeddingPlace;     ///< for messages
    at::Tensor m_position_embedding;  ///< [positions, C]
    std::vector<Layer> m_layers;
    Affine m_final_layer_norm;
    at::Tensor m_text_projection_PC;  ///< undefined: the pooled vector is as it is
};

}  // namespace reelgrid::text
