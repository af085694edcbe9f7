#include "core/models/cogvideox/config.h"

#include <cmath>

#include "core/weights/model_config.h"

namespace reelgrid::models::cogvideox {
namespace {

/// What every published checkpoint has, and this version can't do without.
void requireUsual(const weights::ModelConfig& config) {
    for (const char* key : {"attention_bias", "norm_elementwise_affine", "flip_sin_to_cos"})
        if (!config.flagOr(key, true)) config.unsupported(key, "true");
    if (config.numberOr("freq_shift", 0) != 0) config.unsupported("freq_shift", "0");
    if (config.textOr("activation_fn", "gelu-approximate") != "gelu-approximate")
        config.unsupported("activation_fn", "gelu-approximate");
    if (config.textOr("timestep_activation_fn", "silu") != "silu")
        config.unsupported("timestep_activation_fn", "silu");
    // The linear map of 1.5 has a bias whatever the key says.
    if (!config.has("patch_size_t") && !config.flagOr("patch_bias", true))
        config.unsupported("patch_bias", "true");
}

double scaleOr(const weights::ModelConfig& config, const char* key, double usual) {
    const double scale = config.numberOr(key, usual);
    if (!(std::isfinite(scale) && scale > 0)) config.invalid(key, "a number above 0");
    return scale;
}

}  // namespace

CogVideoXTransformerConfig CogVideoXTransformerConfig::from(const weights::ModelConfig& config) {
    config.requireClass("CogVideoXTransformer3DModel");
    requireUsual(config);
    constexpr std::int64_t kMostPatch = 16, kMostSample = 1 << 14, kMostWidth = 1 << 16, kMostChannels = 4096;
    CogVideoXTransformerConfig c;
    c.numAttentionHeads = config.positiveOr("num_attention_heads", c.numAttentionHeads, 1024);
    c.attentionHeadDim = config.positiveOr("attention_head_dim", c.attentionHeadDim, 1024);
    if (c.attentionHeadDim % 16 != 0)
        config.invalid("attention_head_dim", "a multiple of 16 (positions on three axes)");
    c.inChannels = config.positiveOr("in_channels", c.inChannels, kMostChannels);
    c.outChannels = config.positiveOr("out_channels", c.outChannels, kMostChannels);
    c.timeEmbedDim = config.positiveOr("time_embed_dim", c.timeEmbedDim, kMostWidth);
    if (config.has("ofs_embed_dim")) {
        c.ofsEmbedDim = config.positive("ofs_embed_dim", kMostWidth);
        if (c.ofsEmbedDim != c.timeEmbedDim || c.ofsEmbedDim % 2 != 0)
            config.invalid("ofs_embed_dim", "time_embed_dim and an even number");
    }
    c.textEmbedDim = config.positiveOr("text_embed_dim", c.textEmbedDim, kMostWidth);
    c.numLayers = config.positiveOr("num_layers", c.numLayers, 1024);
    c.sampleWidth = config.positiveOr("sample_width", c.sampleWidth, kMostSample);
    c.sampleHeight = config.positiveOr("sample_height", c.sampleHeight, kMostSample);
    c.sampleFrames = config.positiveOr("sample_frames", c.sampleFrames, kMostSample);
    c.patchSize = config.positiveOr("patch_size", c.patchSize, kMostPatch);
    if (config.has("patch_size_t")) c.patchSizeT = config.positive("patch_size_t", kMostPatch);
    c.temporalCompressionRatio =
        config.positiveOr("temporal_compression_ratio", c.temporalCompressionRatio, 64);
    c.maxTextSeqLength = config.positiveOr("max_text_seq_length", c.maxTextSeqLength, 1 << 14);
    c.normEps = scaleOr(config, "norm_eps", c.normEps);
    c.spatialInterpolationScale = scaleOr(config, "spatial_interpolation_scale", c.spatialInterpolationScale);
    c.temporalInterpolationScale =
        scaleOr(config, "temporal_interpolation_scale", c.temporalInterpolationScale);
    c.useRotaryPositionalEmbeddings = config.flagOr("use_rotary_positional_embeddings", false);
    c.useLearnedPositionalEmbeddings = config.flagOr("use_learned_positional_embeddings", false);
    if (c.useLearnedPositionalEmbeddings && !c.useRotaryPositionalEmbeddings)
        config.unsupported("use_learned_positional_embeddings",
                           "false without use_rotary_positional_embeddings");
    return c;
}

}  // namespace reelgrid::models::cogvideox
