#pragma once

#include <cstdint>
#include <functional>

namespace reelgrid::weights {
class ModelConfig;
}

namespace reelgrid::vision {

/// image_encoder/config.json (CLIPVisionModel and CLIPVisionModelWithProjection of transformers); the
/// defaults are the reference's own.
struct ClipVisionConfig {
    std::int64_t hiddenSize = 768;
    std::int64_t intermediateSize = 3072;
    std::int64_t numHiddenLayers = 12;
    std::int64_t numAttentionHeads = 12;
    std::int64_t imageSize = 224;
    std::int64_t patchSize = 32;
    enum class Activation { QuickGelu, Gelu } hiddenAct = Activation::QuickGelu;
    double layerNormEps = 1e-5;
    std::int64_t projectionDim = 512;  ///< of an embedding

    /// Throws Failure(InvalidData or Unsupported) naming the file, the key and its value.
    static ClipVisionConfig from(const weights::ModelConfig& config);

    /// Patches, and one position for the whole picture.
    [[nodiscard]] std::int64_t positions() const {
        return (imageSize / patchSize) * (imageSize / patchSize) + 1;
    }
};

/// Whether a checkpoint has its tensors below "vision_model.", as older ones do, all published ones of Wan
/// among them. `has` says which it has.
bool isBelowVisionModel(const std::function<bool(const char* name)>& has);

}  // namespace reelgrid::vision
