#include "core/models/animatediff/config.h"

#include <cmath>
#include <string>

#include "core/base/result.h"
#include "core/weights/numbered_layers.h"

namespace reelgrid::models::animatediff {
namespace {

// No published model comes near; beyond it a typing error would ask for terabytes.
constexpr std::int64_t kMostChannels = 16384;
constexpr std::size_t kMostBlocks = 8;
constexpr std::int64_t kMostLayers = 64;
constexpr std::int64_t kMostFrames = 4096;

std::vector<std::int64_t> channelsOf(const weights::ModelConfig& config, std::int64_t groups) {
    if (!config.has("block_out_channels")) return UnetConfig{}.blockChannels;
    std::vector<std::int64_t> channels = config.integers("block_out_channels");
    if (channels.empty() || channels.size() > kMostBlocks)
        config.invalid("block_out_channels", "a list of 1 to 8 whole numbers");
    for (const std::int64_t count : channels)
        if (count < 2 || count > kMostChannels || count % groups != 0 || count % 2 != 0)
            config.invalid("block_out_channels",
                           "even multiples of " + std::to_string(groups) + ", the number of norm's groups");
    return channels;
}

/// One number for all blocks, or a list.
std::vector<std::int64_t> perBlock(const weights::ModelConfig& config, const std::string& key,
                                   std::int64_t usual, std::size_t blocks) {
    if (!config.has(key)) return std::vector<std::int64_t>(blocks, usual);
    if (!config.isList(key)) return std::vector<std::int64_t>(blocks, config.positive(key, kMostChannels));
    const std::vector<std::int64_t> values = config.integers(key);
    if (values.size() != blocks) config.invalid(key, "a number, or one for each block");
    for (const std::int64_t value : values)
        if (value < 1) config.invalid(key, "numbers above 0");
    return values;
}

/// Blocks may differ in it, but not here.
std::int64_t ofAllBlocks(const weights::ModelConfig& config, const std::string& key, std::int64_t usual,
                         std::int64_t most) {
    if (!config.has(key)) return usual;
    if (!config.isList(key)) return config.positive(key, most);
    const std::vector<std::int64_t> values = config.integers(key);
    for (const std::int64_t value : values)
        if (value < 1 || value > most || value != values.front())
            config.unsupported(key, "one number for all blocks");
    if (values.empty()) config.invalid(key, "a number");
    return values.front();
}

void requireHeads(const weights::ModelConfig& config, const std::string& key,
                  const std::vector<std::int64_t>& heads, const std::vector<std::int64_t>& channels) {
    for (std::size_t i = 0; i < heads.size(); ++i)
        if (channels[i] % heads[i] != 0) config.invalid(key, "divisors of block_out_channels");
}

UnetConfig::BlockKind kindOf(const weights::ModelConfig& config, const std::string& key,
                             const std::string& name) {
    using Kind = UnetConfig::BlockKind;
    const std::string way = key.starts_with("down") ? "Down" : "Up";
    for (const std::string ending : {"2D", "Motion"}) {
        if (name == way + "Block" + ending) return Kind::Residual;
        if (name == "CrossAttn" + way + "Block" + ending) return Kind::CrossAttention;
    }
    config.unsupported(key, "a list of " + way + "Block2D and CrossAttn" + way + "Block2D");
}

void refuseOtherUnets(const weights::ModelConfig& config) {
    const std::string name = config.textOr("_class_name", "UNet2DConditionModel");
    if (name != "UNet2DConditionModel" && name != "UNetMotionModel")
        config.unsupported("_class_name", "UNet2DConditionModel or UNetMotionModel");
    config.requirePlainWeights();
    for (const char* key : {"class_embed_type", "addition_embed_type", "encoder_hid_dim_type",
                            "time_cond_proj_dim", "num_class_embeds", "reverse_transformer_layers_per_block",
                            "time_embedding_act_fn", "timestep_post_act", "conv_in_channels"})
        if (config.has(key)) config.unsupported(key, "null");
    for (const char* key : {"dual_cross_attention", "only_cross_attention", "class_embeddings_concat",
                            "center_input_sample", "resnet_skip_time_act"})
        if (config.has(key) && config.flagOr(key, false)) config.unsupported(key, "false");
    if (config.textOr("act_fn", "silu") != "silu") config.unsupported("act_fn", "\"silu\"");
    if (config.textOr("resnet_time_scale_shift", "default") != "default")
        config.unsupported("resnet_time_scale_shift", "\"default\"");
    if (config.textOr("attention_type", "default") != "default")
        config.unsupported("attention_type", "\"default\"");
    if (config.textOr("mid_block_type", "UNetMidBlock2DCrossAttn") != "UNetMidBlock2DCrossAttn")
        config.unsupported("mid_block_type", "\"UNetMidBlock2DCrossAttn\"");
    if (config.textOr("time_embedding_type", "positional") != "positional")
        config.unsupported("time_embedding_type", "\"positional\"");
    if (!config.flagOr("flip_sin_to_cos", true)) config.unsupported("flip_sin_to_cos", "true");
    if (config.numberOr("freq_shift", 0) != 0) config.unsupported("freq_shift", "0");
    for (const char* key : {"downsample_padding", "mid_block_scale_factor"})
        if (config.numberOr(key, 1) != 1) config.unsupported(key, "1");
    for (const char* key : {"conv_in_kernel", "conv_out_kernel"})
        if (config.numberOr(key, 3) != 3) config.unsupported(key, "3");
}

}  // namespace

UnetConfig UnetConfig::from(const weights::ModelConfig& config) {
    refuseOtherUnets(config);
    UnetConfig c;
    c.inChannels = config.positiveOr("in_channels", c.inChannels, kMostChannels);
    c.outChannels = config.positiveOr("out_channels", c.outChannels, kMostChannels);
    c.normGroups = config.positiveOr("norm_num_groups", c.normGroups, kMostChannels);
    c.normEps = config.numberOr("norm_eps", c.normEps);
    if (!(std::isfinite(c.normEps) && c.normEps > 0)) config.invalid("norm_eps", "a number above 0");
    c.blockChannels = channelsOf(config, c.normGroups);
    c.layersPerBlock = ofAllBlocks(config, "layers_per_block", c.layersPerBlock, kMostLayers);
    c.transformerLayers =
        ofAllBlocks(config, "transformer_layers_per_block", c.transformerLayers, kMostLayers);
    if (config.positiveOr("mid_block_layers", 1) != 1) config.unsupported("mid_block_layers", "1");
    if (ofAllBlocks(config, "transformer_layers_per_mid_block", c.transformerLayers, kMostLayers) !=
        c.transformerLayers)
        config.unsupported("transformer_layers_per_mid_block", "the same as transformer_layers_per_block");
    c.crossAttentionDim = ofAllBlocks(config, "cross_attention_dim", 1280, kMostChannels);
    // What older configurations call the size of a head is how many there are.
    const std::string headsKey =
        config.has("num_attention_heads") ? "num_attention_heads" : "attention_head_dim";
    c.heads = perBlock(config, headsKey, 8, c.blocks());
    requireHeads(config, headsKey, c.heads, c.blockChannels);
    if (config.flagOr("use_linear_projection", false)) c.tokenProjection = TokenProjection::Linear;
    if (config.has("down_block_types")) {
        const std::vector<std::string> down = config.texts("down_block_types");
        if (down.size() != c.blocks()) config.invalid("down_block_types", "as many as block_out_channels");
        c.blockKinds.clear();
        for (const std::string& name : down) c.blockKinds.push_back(kindOf(config, "down_block_types", name));
    } else if (c.blocks() != c.blockKinds.size()) {
        config.invalid("down_block_types", "as many as block_out_channels");
    }
    if (config.has("up_block_types")) {
        const std::vector<std::string> up = config.texts("up_block_types");
        if (up.size() != c.blocks()) config.invalid("up_block_types", "as many as block_out_channels");
        for (std::size_t i = 0; i < up.size(); ++i)
            if (kindOf(config, "up_block_types", up[i]) != c.blockKinds[c.blocks() - 1 - i])
                config.unsupported("up_block_types", "down_block_types in the opposite order");
    }
    return c;
}

MotionConfig MotionConfig::from(const weights::ModelConfig& config) {
    config.requireClass("MotionAdapter");
    if (config.has("conv_in_channels")) config.unsupported("conv_in_channels", "null");
    MotionConfig c;
    c.blockChannels = channelsOf(config, config.positiveOr("motion_norm_num_groups", 32, kMostChannels));
    c.heads = perBlock(config, "motion_num_attention_heads", 8, c.blockChannels.size());
    requireHeads(config, "motion_num_attention_heads", c.heads, c.blockChannels);
    c.layersPerBlock = ofAllBlocks(config, "motion_layers_per_block", 2, kMostLayers);
    c.transformerLayers = ofAllBlocks(config, "motion_transformer_layers_per_block", 1, kMostLayers);
    if (ofAllBlocks(config, "motion_transformer_layers_per_mid_block", 1, kMostLayers) != c.transformerLayers)
        config.unsupported("motion_transformer_layers_per_mid_block",
                           "the same as motion_transformer_layers_per_block");
    if (config.positiveOr("motion_mid_block_layers_per_block", 1) != 1)
        config.unsupported("motion_mid_block_layers_per_block", "1");
    c.maxFrames = config.positiveOr("motion_max_seq_length", c.maxFrames, kMostFrames);
    c.midBlock = config.flagOr("use_motion_mid_block", true) ? MidBlock::Motion : MidBlock::None;
    return c;
}

MotionConfig MotionConfig::inside(const UnetConfig& unet, const weights::ModelConfig& config) {
    for (const char* key :
         {"reverse_temporal_transformer_layers_per_block", "reverse_motion_num_attention_heads"})
        if (config.has(key)) config.unsupported(key, "null");
    MotionConfig c;
    c.blockChannels = unet.blockChannels;
    c.layersPerBlock = unet.layersPerBlock;
    c.heads = perBlock(config, "motion_num_attention_heads", 8, c.blockChannels.size());
    requireHeads(config, "motion_num_attention_heads", c.heads, c.blockChannels);
    c.transformerLayers = ofAllBlocks(config, "temporal_transformer_layers_per_block", 1, kMostLayers);
    if (ofAllBlocks(config, "temporal_transformer_layers_per_mid_block", 1, kMostLayers) !=
        c.transformerLayers)
        config.unsupported("temporal_transformer_layers_per_mid_block",
                           "the same as temporal_transformer_layers_per_block");
    c.maxFrames = config.positiveOr("motion_max_seq_length", c.maxFrames, kMostFrames);
    c.midBlock = config.flagOr("use_motion_mid_block", true) ? MidBlock::Motion : MidBlock::None;
    return c;
}

MotionConfig MotionConfig::of(const weights::ShapeOf& shapeOf, const std::string& where) {
    constexpr std::int64_t kPublishedHeads = 8;
    const auto normOf = [&](const std::string& block, std::int64_t layer) {
        return shapeOf(block + ".motion_modules." + std::to_string(layer) + ".norm.weight");
    };
    MotionConfig c;
    c.blockChannels.clear();
    while (c.blockChannels.size() < kMostBlocks) {
        const auto norm = normOf("down_blocks." + std::to_string(c.blockChannels.size()), 0);
        if (!norm || norm->size() != 1) break;
        c.blockChannels.push_back(norm->front());
    }
    const std::string positionsName = "down_blocks.0.motion_modules.0.transformer_blocks.0.pos_embed.pe";
    const auto positions = shapeOf(positionsName);
    if (c.blockChannels.empty() || !positions || positions->size() != 3 || positions->at(1) > kMostFrames)
        throw Failure(ErrorCode::InvalidData, where + ": tensor " + positionsName +
                                                  " is missing, a motion module of AnimateDiff was needed");
    c.heads.assign(c.blockChannels.size(), kPublishedHeads);
    for (const std::int64_t channels : c.blockChannels)
        if (channels % kPublishedHeads != 0)
            throw Failure(ErrorCode::InvalidData, where + ": a block has " + std::to_string(channels) +
                                                      " channels, a multiple of " +
                                                      std::to_string(kPublishedHeads) + " was needed");
    c.maxFrames = positions->at(1);
    c.layersPerBlock = 0;
    while (c.layersPerBlock < kMostLayers && normOf("down_blocks.0", c.layersPerBlock)) ++c.layersPerBlock;
    const bool hasMiddle =
        weights::layersWithAny(
            {"norm.weight", "proj_in.weight", "proj_out.weight", "transformer_blocks.0.norm1.weight"},
            [&](std::int64_t layer, const std::string& name) {
                return shapeOf("mid_block.motion_modules." + std::to_string(layer) + "." + name).has_value();
            }) > 0;
    c.midBlock = hasMiddle ? MidBlock::Motion : MidBlock::None;
    return c;
}

void MotionConfig::requireFits(const UnetConfig& unet, const std::string& where) const {
    const auto text = [](const std::vector<std::int64_t>& values) {
        std::string list;
        for (const std::int64_t value : values) list += (list.empty() ? "" : ", ") + std::to_string(value);
        return list;
    };
    if (blockChannels != unet.blockChannels)
        throw Failure(ErrorCode::InvalidData, where + ": its blocks have " + text(blockChannels) +
                                                  " channels, the model's " + text(unet.blockChannels));
    if (layersPerBlock != unet.layersPerBlock)
        throw Failure(ErrorCode::InvalidData, where + ": its blocks have " + std::to_string(layersPerBlock) +
                                                  " layers, the model's " +
                                                  std::to_string(unet.layersPerBlock));
}

}  // namespace reelgrid::models::animatediff
