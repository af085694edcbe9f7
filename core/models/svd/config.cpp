#include "core/models/svd/config.h"

#include <string>

namespace reelgrid::models::svd {
namespace {

// No published model comes near; beyond it a typing error would ask for terabytes.
constexpr std::int64_t kMostUnetChannels = 16384;
constexpr std::size_t kMostUnetBlocks = 8;
constexpr std::int64_t kMostUnetLayers = 64;

/// One number for all blocks, or a list.
std::vector<std::int64_t> eachBlocks(const weights::ModelConfig& config, const std::string& key,
                                     std::vector<std::int64_t> usual, std::size_t blocks) {
    if (config.has(key) && !config.isList(key))
        return std::vector<std::int64_t>(blocks, config.positive(key, kMostUnetChannels));
    if (config.has(key)) usual = config.integers(key);
    if (usual.size() != blocks) config.invalid(key, "a number, or one for each of block_out_channels");
    for (const std::int64_t value : usual)
        if (value < 1 || value > kMostUnetChannels)
            config.invalid(key, "numbers from 1 to " + std::to_string(kMostUnetChannels));
    return usual;
}

/// Blocks may differ in it, but not here.
std::int64_t everyBlocks(const weights::ModelConfig& config, const std::string& key, std::int64_t usual,
                         std::int64_t most, std::size_t blocks) {
    const auto values = eachBlocks(config, key, std::vector<std::int64_t>(blocks, usual), blocks);
    for (const std::int64_t value : values)
        if (value != values.front()) config.unsupported(key, "one number for all blocks");
    if (values.front() > most) config.invalid(key, "at most " + std::to_string(most));
    return values.front();
}

VideoUnetConfig::BlockKind blockKindOf(const weights::ModelConfig& config, const std::string& key,
                                       const std::string& name) {
    using Kind = VideoUnetConfig::BlockKind;
    const std::string residual =
        (key.starts_with("down") ? "Down" : "Up") + std::string("BlockSpatioTemporal");
    if (name == residual) return Kind::Residual;
    if (name == "CrossAttn" + residual) return Kind::CrossAttention;
    config.unsupported(key, "a list of " + residual + " and CrossAttn" + residual);
}

void readBlockKinds(const weights::ModelConfig& config, VideoUnetConfig& c) {
    if (config.has("down_block_types")) {
        const std::vector<std::string> down = config.texts("down_block_types");
        if (down.size() != c.blocks()) config.invalid("down_block_types", "as many as block_out_channels");
        c.blockKinds.clear();
        for (const std::string& name : down)
            c.blockKinds.push_back(blockKindOf(config, "down_block_types", name));
    } else if (c.blocks() != c.blockKinds.size()) {
        config.invalid("down_block_types", "as many as block_out_channels");
    }
    if (!config.has("up_block_types")) return;
    const std::vector<std::string> up = config.texts("up_block_types");
    if (up.size() != c.blocks()) config.invalid("up_block_types", "as many as block_out_channels");
    for (std::size_t i = 0; i < up.size(); ++i)
        if (blockKindOf(config, "up_block_types", up[i]) != c.blockKinds[c.blocks() - 1 - i])
            config.unsupported("up_block_types", "down_block_types in the opposite order");
}

}  // namespace

VideoUnetConfig VideoUnetConfig::from(const weights::ModelConfig& config) {
    config.requireClass("UNetSpatioTemporalConditionModel");
    VideoUnetConfig c;
    c.inChannels = config.positiveOr("in_channels", c.inChannels, kMostUnetChannels);
    c.outChannels = config.positiveOr("out_channels", c.outChannels, kMostUnetChannels);
    if (c.inChannels != 2 * c.outChannels) config.unsupported("in_channels", "twice out_channels");
    if (config.has("block_out_channels")) c.blockChannels = config.integers("block_out_channels");
    if (c.blockChannels.empty() || c.blockChannels.size() > kMostUnetBlocks)
        config.invalid("block_out_channels", "a list of 1 to 8 whole numbers");
    for (const std::int64_t count : c.blockChannels)
        if (count < 1 || count > kMostUnetChannels || count % kNormGroups != 0)
            config.invalid("block_out_channels",
                           "multiples of " + std::to_string(kNormGroups) + ", the number of norms' groups");
    c.heads = eachBlocks(config, "num_attention_heads", c.heads, c.blocks());
    for (std::size_t i = 0; i < c.heads.size(); ++i)
        if (c.blockChannels[i] % c.heads[i] != 0)
            config.invalid("num_attention_heads", "divisors of block_out_channels");
    c.layersPerBlock = everyBlocks(config, "layers_per_block", c.layersPerBlock, kMostUnetLayers, c.blocks());
    c.transformerLayers =
        everyBlocks(config, "transformer_layers_per_block", c.transformerLayers, kMostUnetLayers, c.blocks());
    c.crossAttentionDim =
        everyBlocks(config, "cross_attention_dim", c.crossAttentionDim, kMostUnetChannels, c.blocks());
    c.additionTimeEmbedDim =
        config.positiveOr("addition_time_embed_dim", c.additionTimeEmbedDim, kMostUnetChannels);
    if (c.additionTimeEmbedDim % 2 != 0) config.invalid("addition_time_embed_dim", "an even number");
    const std::int64_t added = kAddedNumbers * c.additionTimeEmbedDim;
    if (config.positiveOr("projection_class_embeddings_input_dim", 768) != added)
        config.unsupported("projection_class_embeddings_input_dim",
                           std::to_string(added) + ", three times addition_time_embed_dim,");
    c.numFrames = config.positiveOr("num_frames", c.numFrames, 4096);
    readBlockKinds(config, c);
    return c;
}

}  // namespace reelgrid::models::svd
