#pragma once

#include <cstdint>

#include "core/weights/model_config.h"

namespace reelgrid::text {

/// config.json of a transformers CLIPTextModel or CLIPTextModelWithProjection. Defaults are those of CLIP
/// ViT-L/14's text half, Stable Diffusion 1.5's encoder.
struct ClipTextConfig {
    enum class Activation { QuickGelu, Gelu };
    enum class Projection { None, Learned };  ///< of the pooled vector

    std::int64_t vocabSize = 49408;
    std::int64_t hiddenSize = 768;
    std::int64_t intermediateSize = 3072;
    std::int64_t numHiddenLayers = 12;
    std::int64_t numAttentionHeads = 12;
    std::int64_t maxPositionEmbeddings = 77;
    std::int64_t projectionDim = 768;
    /// Marks the token whose output is the pooled vector; 2: the largest id does, as configurations of before
    /// 2023 have it.
    std::int64_t eosTokenId = 2;
    double layerNormEps = 1e-5;
    Activation hiddenAct = Activation::QuickGelu;
    Projection projection = Projection::None;

    /// Throws Failure(InvalidData or Unsupported) naming the key, its value and what was needed.
    static ClipTextConfig from(const weights::ModelConfig& config);
};

}  // namespace reelgrid::text
