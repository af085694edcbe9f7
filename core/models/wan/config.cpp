#include "core/models/wan/config.h"

#include <algorithm>
#include <cmath>

#include "core/weights/model_config.h"

namespace reelgrid::models::wan {

namespace {

/// A picture's embedding beside the text: Wan 2.1's image-to-video checkpoints.
void readImageKeys(const weights::ModelConfig& config, WanTransformerConfig& into) {
    if (!config.has("image_dim")) {
        for (const char* key : {"added_kv_proj_dim", "pos_embed_seq_len"})
            if (config.has(key)) config.unsupported(key, "null, as image_dim is null");
        return;
    }
    into.imageDim = config.positive("image_dim", 1 << 16);
    if (!config.has("added_kv_proj_dim")) config.unsupported("image_dim", "null without added_kv_proj_dim");
    if (config.positive("added_kv_proj_dim") != into.innerDim())
        config.invalid("added_kv_proj_dim", "num_attention_heads · attention_head_dim");
    if (config.has("pos_embed_seq_len")) into.posEmbedSeqLen = config.positive("pos_embed_seq_len", 1 << 16);
}

}  // namespace

WanTransformerConfig WanTransformerConfig::from(const weights::ModelConfig& config) {
    config.requireClass("WanTransformer3DModel");
    // The reference reads the key and norms across heads whatever it says.
    const std::string norm = config.textOr("qk_norm", "rms_norm_across_heads");
    if (norm != "rms_norm_across_heads" && norm != "rms_norm")
        config.unsupported("qk_norm", "rms_norm_across_heads or rms_norm");

    WanTransformerConfig c;
    if (config.has("patch_size")) {
        const auto patch = config.integers("patch_size");
        const auto usable = [](std::int64_t size) { return size >= 1 && size <= 16; };
        if (patch.size() != 3 || !std::all_of(patch.begin(), patch.end(), usable))
            config.invalid("patch_size", "three whole numbers from 1 to 16");
        std::copy(patch.begin(), patch.end(), c.patchSize.begin());
    }
    c.numAttentionHeads = config.positiveOr("num_attention_heads", c.numAttentionHeads, 1024);
    c.attentionHeadDim = config.positiveOr("attention_head_dim", c.attentionHeadDim, 1024);
    if (c.attentionHeadDim % 2 != 0 || c.attentionHeadDim < 6)
        config.invalid("attention_head_dim", "an even number of at least 6 (rotary pairs for three axes)");
    c.inChannels = config.positiveOr("in_channels", c.inChannels, 4096);
    c.outChannels = config.positiveOr("out_channels", c.inChannels, 4096);
    c.textDim = config.positiveOr("text_dim", c.textDim, 1 << 16);
    c.freqDim = config.positiveOr("freq_dim", c.freqDim, 1 << 16);
    if (c.freqDim % 2 != 0) config.invalid("freq_dim", "an even number");
    c.ffnDim = config.positiveOr("ffn_dim", c.ffnDim, 1 << 18);
    c.numLayers = config.positiveOr("num_layers", c.numLayers, 1024);
    c.ropeMaxSeqLen = config.positiveOr("rope_max_seq_len", c.ropeMaxSeqLen, 1 << 16);
    c.crossAttnNorm = config.flagOr("cross_attn_norm", c.crossAttnNorm);
    c.eps = config.numberOr("eps", c.eps);
    if (!(std::isfinite(c.eps) && c.eps > 0)) config.invalid("eps", "a number above 0");
    c.isDistilled = config.flagOr("few_step_distilled", false);
    readImageKeys(config, c);
    return c;
}

}  // namespace reelgrid::models::wan
