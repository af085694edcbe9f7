#pragma once

#include <cstdint>
#include <vector>

namespace reelgrid::weights {
class ModelConfig;
}

namespace reelgrid::models::sd35 {

/// transformer/config.json of a Stable Diffusion 3 or 3.5 checkpoint (SD3Transformer2DModel). Defaults are
/// the reference's own.
struct Sd35TransformerConfig {
    enum class QkNorm { None, Rms };

    std::int64_t sampleSize = 128;  ///< latent rows and columns of the pictures it was trained on
    std::int64_t patchSize = 2;     ///< latent rows and columns to one token
    std::int64_t inChannels = 16;
    std::int64_t outChannels = 16;
    std::int64_t numLayers = 18;
    std::int64_t attentionHeadDim = 64;
    std::int64_t numAttentionHeads = 18;
    std::int64_t jointAttentionDim = 4096;
    std::int64_t pooledProjectionDim = 2048;
    std::int64_t posEmbedMaxSize = 96;              ///< rows and columns of tokens that have positions
    std::vector<std::int64_t> dualAttentionLayers;  ///< whose pictures attend to themselves beside the text
    QkNorm qkNorm = QkNorm::None;

    /// Throws Failure(InvalidData or Unsupported) naming the file, the key and its value.
    static Sd35TransformerConfig from(const weights::ModelConfig& config);

    [[nodiscard]] std::int64_t innerDim() const { return numAttentionHeads * attentionHeadDim; }
    [[nodiscard]] std::int64_t feedForwardDim() const { return 4 * innerDim(); }
    /// Latent values to one token, per channel.
    [[nodiscard]] std::int64_t patchArea() const { return patchSize * patchSize; }
    [[nodiscard]] bool hasDualAttention(std::int64_t layer) const;
    /// Nothing reads the text after the last block, which leaves it as it is.
    [[nodiscard]] bool isLast(std::int64_t layer) const { return layer == numLayers - 1; }
    /// Of a clip of latents, [B, z, F, Y, X].
    [[nodiscard]] std::int64_t tokensOf(const std::vector<std::int64_t>& shape_BZFYX) const {
        return shape_BZFYX[2] * (shape_BZFYX[3] / patchSize) * (shape_BZFYX[4] / patchSize);
    }
};

/// temporal_module/config.json (SD3TemporalModule): one attention over frames for each block.
struct TemporalConfig {
    std::int64_t numLayers = 0;
    std::int64_t numAttentionHeads = 0;
    std::int64_t attentionHeadDim = 0;
    std::int64_t maxSeqLength = 32;  ///< frames that have positions

    static TemporalConfig from(const weights::ModelConfig& config);

    [[nodiscard]] std::int64_t innerDim() const { return numAttentionHeads * attentionHeadDim; }
    /// Throws Failure(InvalidData) naming `config`'s file, what it has and what the transformer needs.
    static TemporalConfig fitting(const Sd35TransformerConfig& transformer,
                                  const weights::ModelConfig& config);
};

}  // namespace reelgrid::models::sd35
