#pragma once

// Shape legend: N tokens of one prompt, C model size, H heads, D head size, I = H·D, F feed-forward size.

#include <ATen/ATen.h>

#include <span>
#include <string>
#include <vector>

#include "core/text/encoders/t5_config.h"
#include "core/weights/weight_source.h"

namespace reelgrid::text {

/// What T5 and umT5 run in where the model's layers run in `dtype`: their activations leave fp16's range, so
/// it is the 16-bit type that they were trained in.
at::ScalarType t5Dtype(at::ScalarType dtype);

/// Of an encoder's weights in a model of that dtype, all but the table of embeddings, which stays in its
/// file.
std::uint64_t t5WeightBytes(const T5Config& config, at::ScalarType dtype);

/// The encoder of T5 1.1: a relative position bias that all layers share, attention without 1/√d, gated GELU
/// (tanh), RMS norms in fp32; and umT5's, which is the same with a bias of its own in every layer. Fields
/// keep the checkpoint's names. Source: transformers' T5EncoderModel and UMT5EncoderModel.
class T5Encoder {
  public:
    /// Takes shared.weight (or encoder.embed_tokens.weight) and encoder.* from `scope`, in the scope's dtype;
    /// the embedding table stays as stored and where it is. Throws Failure when a tensor is missing or of
    /// another shape, and forward() where both tables are there and their rows differ.
    T5Encoder(const T5Config& config, const weights::WeightScope& scope);

    /// [N, C] in the model's dtype, from N ≥ 1 token ids that all see each other (leaving padding away is the
    /// same as masking it). Throws Failure(InvalidData) for an id outside the vocabulary.
    [[nodiscard]] at::Tensor forward(std::span<const std::int64_t> ids) const;

    [[nodiscard]] const T5Config& config() const { return m_config; }

  private:
    struct Block {
        at::Tensor q, k, v, o;               ///< [I, C], o [C, I]
        at::Tensor relative_attention_bias;  ///< [buckets, H]; undefined in layers that share the first's
        at::Tensor attention_norm;           ///< [C]
        at::Tensor wi_0, wi_1, wo;           ///< [F, C], wo [C, F]
        at::Tensor feed_forward_norm;        ///< [C]
    };
    static Block loadBlock(const T5Config& config, const weights::WeightScope& scope, std::int64_t layer);

    [[nodiscard]] at::Tensor embed(std::span<const std::int64_t> ids) const;
    [[nodiscard]] at::Tensor positionBuckets(std::int64_t count) const;
    [[nodiscard]] static at::Tensor positionBias(const Block& block, const at::Tensor& buckets_NN);
    [[nodiscard]] at::Tensor norm(const at::Tensor& x_NC, const at::Tensor& weight) const;
    [[nodiscard]] at::Tensor selfAttention(const Block& block, const at::Tensor& x_NC,
                                           const at::Tensor& bias_1HNN) const;
    [[nodiscard]] static at::Tensor feedForward(const Block& block, const at::Tensor& x_NC);

    T5Config m_config;
    at::TensorOptions m_options;
    at::Tensor m_embedding;
    std::string m_embeddingPlace;  ///< for messages
    at::Tensor m_secondEmbedding;  ///< the same under its other name, where the file has both
    std::vector<Block> m_blocks;
    at::Tensor m_final_layer_norm;
};

}  // namespace reelgrid::text
