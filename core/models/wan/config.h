#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace reelgrid::weights {
class ModelConfig;
}

namespace reelgrid::models::wan {

/// transformer/config.json of a Wan checkpoint (WanTransformer3DModel). Defaults are the reference's own.
struct WanTransformerConfig {
    std::array<std::int64_t, 3> patchSize{1, 2, 2};  ///< frames, rows, columns of latents to one token
    std::int64_t numAttentionHeads = 40;
    std::int64_t attentionHeadDim = 128;
    std::int64_t inChannels = 16;
    std::int64_t outChannels = 16;
    std::int64_t textDim = 4096;
    std::int64_t freqDim = 256;
    std::int64_t ffnDim = 13824;
    std::int64_t numLayers = 40;
    std::int64_t ropeMaxSeqLen = 1024;
    bool crossAttnNorm = true;
    double eps = 1e-6;
    std::int64_t imageDim = 0;  ///< channels of a picture's embedding; 0: the model takes none
    /// Distilled to a few steps with rCM: the timestep's angles are made in float64 on the host, its
    /// embedding is fp32 throughout.
    bool isDistilled = false;
    std::int64_t posEmbedSeqLen = 0;  ///< learned positions of the embeddings of two pictures; 0: none

    /// Throws Failure(InvalidData or Unsupported) naming the file, the key and its value.
    static WanTransformerConfig from(const weights::ModelConfig& config);

    [[nodiscard]] std::int64_t innerDim() const { return numAttentionHeads * attentionHeadDim; }
    /// Of a clip of latents, [B, z, T, H, W].
    [[nodiscard]] std::int64_t tokensOf(const std::vector<std::int64_t>& shape_BCTHW) const {
        return shape_BCTHW[2] * (shape_BCTHW[3] / patchSize[1]) * (shape_BCTHW[4] / patchSize[2]);
    }
    /// Whether there are channels for frames that are given beside latents of so many.
    [[nodiscard]] bool seesGivenFrames(std::int64_t zDim) const { return inChannels > zDim; }
    /// Frames of a clip that a render with a picture encodes.
    [[nodiscard]] int encodedFramesOf(std::int64_t zDim, int clipFrames) const {
        return seesGivenFrames(zDim) ? clipFrames : 1;
    }
    [[nodiscard]] std::int64_t patchVolume() const { return patchSize[0] * patchSize[1] * patchSize[2]; }
};

}  // namespace reelgrid::models::wan
