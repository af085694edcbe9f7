#include "core/models/sd35/config.h"

#include <algorithm>

#include "core/base/result.h"
#include "core/weights/model_config.h"

namespace reelgrid::models::sd35 {
namespace {

constexpr std::int64_t kMostHeads = 1024, kMostWidth = 1 << 16, kMostChannels = 4096, kMostLayers = 1024,
                       kMostPositions = 1 << 12;

std::vector<std::int64_t> layersOf(const weights::ModelConfig& config, const char* key, std::int64_t layers) {
    if (!config.has(key)) return {};
    const std::vector<std::int64_t> listed = config.integers(key);
    for (const std::int64_t layer : listed)
        if (layer < 0 || layer >= layers)
            config.invalid(key, "layers from 0 to " + std::to_string(layers - 1));
    return listed;
}

Sd35TransformerConfig::QkNorm qkNormOf(const weights::ModelConfig& config) {
    if (!config.has("qk_norm")) return Sd35TransformerConfig::QkNorm::None;
    if (config.text("qk_norm") != "rms_norm") config.unsupported("qk_norm", "rms_norm");
    return Sd35TransformerConfig::QkNorm::Rms;
}

}  // namespace

Sd35TransformerConfig Sd35TransformerConfig::from(const weights::ModelConfig& config) {
    config.requireClass("SD3Transformer2DModel");
    Sd35TransformerConfig c;
    c.sampleSize = config.positiveOr("sample_size", c.sampleSize, 1 << 14);
    c.patchSize = config.positiveOr("patch_size", c.patchSize, 16);
    c.inChannels = config.positiveOr("in_channels", c.inChannels, kMostChannels);
    c.outChannels = config.positiveOr("out_channels", c.inChannels, kMostChannels);
    c.numLayers = config.positiveOr("num_layers", c.numLayers, kMostLayers);
    c.attentionHeadDim = config.positiveOr("attention_head_dim", c.attentionHeadDim, kMostHeads);
    c.numAttentionHeads = config.positiveOr("num_attention_heads", c.numAttentionHeads, kMostHeads);
    if (c.innerDim() % 4 != 0)
        config.invalid("attention_head_dim",
                       "with num_attention_heads a multiple of 4 (positions on two axes)");
    c.jointAttentionDim = config.positiveOr("joint_attention_dim", c.jointAttentionDim, kMostWidth);
    c.pooledProjectionDim = config.positiveOr("pooled_projection_dim", c.pooledProjectionDim, kMostWidth);
    // The text's tokens go through the blocks beside the picture's.
    if (config.positiveOr("caption_projection_dim", 1152, kMostWidth) != c.innerDim())
        config.invalid("caption_projection_dim",
                       std::to_string(c.innerDim()) + ", num_attention_heads times attention_head_dim,");
    c.posEmbedMaxSize = config.positiveOr("pos_embed_max_size", c.posEmbedMaxSize, kMostPositions);
    c.dualAttentionLayers = layersOf(config, "dual_attention_layers", c.numLayers);
    c.qkNorm = qkNormOf(config);
    return c;
}

bool Sd35TransformerConfig::hasDualAttention(std::int64_t layer) const {
    return std::ranges::find(dualAttentionLayers, layer) != dualAttentionLayers.end();
}

TemporalConfig TemporalConfig::from(const weights::ModelConfig& config) {
    TemporalConfig c;
    c.numLayers = config.positive("num_layers", kMostLayers);
    c.numAttentionHeads = config.positive("num_attention_heads", kMostHeads);
    c.attentionHeadDim = config.positive("attention_head_dim", kMostHeads);
    c.maxSeqLength = config.positiveOr("max_seq_length", c.maxSeqLength, 1024);
    if (c.innerDim() % 2 != 0)
        config.invalid("attention_head_dim", "with num_attention_heads an even number (sines and cosines)");
    return c;
}

TemporalConfig TemporalConfig::fitting(const Sd35TransformerConfig& transformer,
                                       const weights::ModelConfig& config) {
    const TemporalConfig c = from(config);
    if (c.innerDim() == transformer.innerDim() && c.numLayers == transformer.numLayers) return c;
    const auto words = [](std::int64_t width, std::int64_t layers) {
        return std::to_string(layers) + " layers of " + std::to_string(width) + " channels";
    };
    throw Failure(ErrorCode::InvalidData, config.where() + ": the temporal module has " +
                                              words(c.innerDim(), c.numLayers) + ", this transformer needs " +
                                              words(transformer.innerDim(), transformer.numLayers));
}

}  // namespace reelgrid::models::sd35
