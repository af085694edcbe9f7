#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace reelgrid::weights {
class ModelConfig;
}

namespace reelgrid::models::cogvideox {

/// transformer/config.json of a CogVideoX checkpoint (CogVideoXTransformer3DModel). Defaults are the
/// reference's own, which are 2b's.
struct CogVideoXTransformerConfig {
    std::int64_t numAttentionHeads = 30;
    std::int64_t attentionHeadDim = 64;
    std::int64_t inChannels = 16;
    std::int64_t outChannels = 16;
    std::int64_t timeEmbedDim = 512;
    std::int64_t ofsEmbedDim = 0;  ///< of 1.5's image-to-video model, which is told an offset; 0: none
    std::int64_t textEmbedDim = 4096;
    std::int64_t numLayers = 30;
    std::int64_t sampleWidth = 90;  ///< latent columns, rows and frames of the clips it was trained on
    std::int64_t sampleHeight = 60;
    std::int64_t sampleFrames = 49;          ///< of pixels
    std::int64_t patchSize = 2;              ///< latent rows and columns to one token
    std::optional<std::int64_t> patchSizeT;  ///< latent frames to one token; of 1.5 alone
    std::int64_t temporalCompressionRatio = 4;
    std::int64_t maxTextSeqLength = 226;
    double normEps = 1e-5;
    double spatialInterpolationScale = 1.875;
    double temporalInterpolationScale = 1.0;
    bool useRotaryPositionalEmbeddings = false;   ///< else sines and cosines are added to the tokens
    bool useLearnedPositionalEmbeddings = false;  ///< beside the rotary ones

    /// Throws Failure(InvalidData or Unsupported) naming the file, the key and its value.
    static CogVideoXTransformerConfig from(const weights::ModelConfig& config);

    [[nodiscard]] std::int64_t innerDim() const { return numAttentionHeads * attentionHeadDim; }
    [[nodiscard]] std::int64_t patchFrames() const { return patchSizeT.value_or(1); }
    /// Latent frames that come before so many so that time's patches are whole.
    [[nodiscard]] std::int64_t paddingOf(std::int64_t latentFrames) const {
        return (patchFrames() - latentFrames % patchFrames()) % patchFrames();
    }
    /// Of a clip of latents, [B, z, T, H, W] without padding.
    [[nodiscard]] std::int64_t tokensOf(const std::vector<std::int64_t>& shape_BCTHW) const {
        return (shape_BCTHW[2] + paddingOf(shape_BCTHW[2])) / patchFrames() * (shape_BCTHW[3] / patchSize) *
               (shape_BCTHW[4] / patchSize);
    }
    /// Latent values to one token, per channel.
    [[nodiscard]] std::int64_t patchVolume() const { return patchFrames() * patchSize * patchSize; }
    [[nodiscard]] std::int64_t feedForwardDim() const { return 4 * innerDim(); }
};

}  // namespace reelgrid::models::cogvideox
