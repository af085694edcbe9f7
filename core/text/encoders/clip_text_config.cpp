#include "core/text/encoders/clip_text_config.h"

#include <cmath>

namespace reelgrid::text {

ClipTextConfig ClipTextConfig::from(const weights::ModelConfig& config) {
    // Far beyond the largest published; a typing error would ask for terabytes.
    constexpr std::int64_t kMostLayers = 256, kMostWidth = 1 << 16, kMostPositions = 1 << 16;
    const std::string type = config.textOr("model_type", "clip_text_model");
    if (type != "clip_text_model") config.unsupported("model_type", "\"clip_text_model\"");
    config.requirePlainWeights();
    ClipTextConfig c;
    c.vocabSize = config.positiveOr("vocab_size", c.vocabSize);
    // What is absent is transformers' default, not this struct's.
    c.hiddenSize = config.positiveOr("hidden_size", 512, kMostWidth);
    c.intermediateSize = config.positiveOr("intermediate_size", 2048, kMostWidth);
    c.numHiddenLayers = config.positiveOr("num_hidden_layers", c.numHiddenLayers, kMostLayers);
    c.numAttentionHeads = config.positiveOr("num_attention_heads", 8, 1024);
    if (c.hiddenSize % c.numAttentionHeads != 0)
        config.invalid("hidden_size", "a multiple of num_attention_heads");
    c.maxPositionEmbeddings =
        config.positiveOr("max_position_embeddings", c.maxPositionEmbeddings, kMostPositions);
    c.projectionDim = config.positiveOr("projection_dim", 512, kMostWidth);
    c.eosTokenId = static_cast<std::int64_t>(config.numberOr("eos_token_id", 49407));
    const std::string activation = config.textOr("hidden_act", "quick_gelu");
    if (activation == "gelu")
        c.hiddenAct = Activation::Gelu;
    else if (activation != "quick_gelu")
        config.unsupported("hidden_act", "gelu or quick_gelu");
    c.layerNormEps = config.numberOr("layer_norm_eps", c.layerNormEps);
    if (!(std::isfinite(c.layerNormEps) && c.layerNormEps > 0))
        config.invalid("layer_norm_eps", "a number above 0");
    return c;
}

}  // namespace reelgrid::text
