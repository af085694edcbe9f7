#include "core/vision/clip_vision_config.h"

#include <cmath>
#include <string>

#include "core/weights/model_config.h"

namespace reelgrid::vision {

ClipVisionConfig ClipVisionConfig::from(const weights::ModelConfig& config) {
    // A whole CLIP's says of its image encoder within another object what would be looked for here.
    constexpr const char *kType = "model_type", *kUsual = "clip_vision_model";
    if (config.textOr(kType, kUsual) != kUsual) config.unsupported(kType, std::string("\"") + kUsual + "\"");
    config.requirePlainWeights();
    ClipVisionConfig c;
    c.hiddenSize = config.positiveOr("hidden_size", c.hiddenSize, 1 << 16);
    c.intermediateSize = config.positiveOr("intermediate_size", c.intermediateSize, 1 << 18);
    c.numHiddenLayers = config.positiveOr("num_hidden_layers", c.numHiddenLayers, 1024);
    if (c.numHiddenLayers < 2) config.invalid("num_hidden_layers", "at least 2 (the last one isn't used)");
    c.numAttentionHeads = config.positiveOr("num_attention_heads", c.numAttentionHeads, 1024);
    if (c.hiddenSize % c.numAttentionHeads != 0)
        config.invalid("hidden_size", "a multiple of num_attention_heads");
    c.imageSize = config.positiveOr("image_size", c.imageSize, 4096);
    c.patchSize = config.positiveOr("patch_size", c.patchSize, 1024);
    if (c.patchSize > c.imageSize) config.invalid("patch_size", "at most image_size");
    if (config.positiveOr("num_channels", 3) != 3) config.unsupported("num_channels", "3");
    const std::string activation = config.textOr("hidden_act", "quick_gelu");
    if (activation == "gelu")
        c.hiddenAct = Activation::Gelu;
    else if (activation != "quick_gelu")
        config.unsupported("hidden_act", "gelu or quick_gelu");
    c.projectionDim = config.positiveOr("projection_dim", c.projectionDim, 1 << 16);
    c.layerNormEps = config.numberOr("layer_norm_eps", c.layerNormEps);
    if (!(std::isfinite(c.layerNormEps) && c.layerNormEps > 0))
        config.invalid("layer_norm_eps", "a number above 0");
    return c;
}

bool isBelowVisionModel(const std::function<bool(const char* name)>& has) {
    return has("vision_model.pre_layrnorm.weight") || has("vision_model.embeddings.class_embedding");
}

}  // namespace reelgrid::vision
