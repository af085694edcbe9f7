#include "core/models/animatediff/unet.h"

#include <algorithm>
#include <utility>

#include "core/base/result.h"
#include "core/models/unet/walk.h"

namespace reelgrid::models::animatediff {

/// Makes the parts in the order of a forward pass, in which places are counted.
struct MotionUnet::Loader {
    const UnetConfig& config;
    const std::optional<MotionConfig>& motion;
    LayerSource image, motionWeights;
    int nextPlace = 0;

    [[nodiscard]] ResidualBlock residual(const LayerSource& block, std::int64_t layer, std::int64_t in,
                                         std::int64_t out) const {
        return {block / "resnets" / layer,
                {.in = in,
                 .out = out,
                 .timeChannels = config.timeChannels(),
                 .normGroups = config.normGroups,
                 .normEps = config.normEps}};
    }
    /// `name`: of the block in a checkpoint; `level`: its size, 0 the full one.
    struct At {
        LayerSource image, motion;
        bool hasMotion = true;
        std::size_t level = 0;
    };
    [[nodiscard]] At blockAt(const char* way, std::size_t index, std::size_t level) const {
        const auto number = static_cast<std::int64_t>(index);
        const std::string blocks = std::string(way) + "_blocks";
        return {image / blocks / number, motionWeights / blocks / number, motion.has_value(), level};
    }
    Place place(const At& at, std::int64_t layer, std::int64_t in, UnetConfig::BlockKind kind) {
        const std::int64_t channels = config.blockChannels[at.level];
        Place made{residual(at.image, layer, in, channels), {}, {}, true};
        if (kind == UnetConfig::BlockKind::CrossAttention)
            made.attention.emplace(at.image / "attentions" / layer,
                                   SpatialTransformer::Sizes{.channels = channels,
                                                             .heads = config.heads[at.level],
                                                             .textChannels = config.crossAttentionDim,
                                                             .layers = config.transformerLayers,
                                                             .normGroups = config.normGroups,
                                                             .projection = config.tokenProjection},
                                   nextPlace);
        if (at.hasMotion)
            made.motion.emplace(at.motion / "motion_modules" / layer,
                                MotionModule::Sizes{.channels = channels,
                                                    .heads = motion->heads[at.level],
                                                    .layers = motion->transformerLayers,
                                                    .normGroups = config.normGroups,
                                                    .maxFrames = motion->maxFrames},
                                nextPlace);
        ++nextPlace;
        return made;
    }

    std::vector<Block> downBlocks() {
        std::vector<Block> made;
        std::int64_t in = config.blockChannels.front();
        for (std::size_t i = 0; i < config.blocks(); ++i) {
            const At at = blockAt("down", i, i);
            Block& block = made.emplace_back();
            const std::int64_t channels = config.blockChannels[i];
            for (std::int64_t layer = 0; layer < config.layersPerBlock; ++layer, in = channels)
                block.places.push_back(place(at, layer, in, config.blockKinds[i]));
            if (i + 1 < config.blocks())
                block.downsampler.emplace(at.image / "downsamplers" / 0 / "conv", channels,
                                          vae::HalvingConv::Zeros::Around);
        }
        return made;
    }
    Place midPlace() {
        const bool hasMotion = motion && motion->midBlock == MotionConfig::MidBlock::Motion;
        const At at{image / "mid_block", motionWeights / "mid_block", hasMotion, config.blocks() - 1};
        return place(at, 0, config.blockChannels.back(), UnetConfig::BlockKind::CrossAttention);
    }
    std::vector<Block> upBlocks() {
        std::vector<Block> made;
        std::int64_t in = config.blockChannels.back();
        for (std::size_t i = 0; i < config.blocks(); ++i) {
            const std::size_t level = config.blocks() - 1 - i;
            const At at = blockAt("up", i, level);
            Block& block = made.emplace_back();
            const std::int64_t channels = config.blockChannels[level];
            // The way down's outputs come back in the opposite order, the last of a block from the block
            // before.
            const std::int64_t before = config.blockChannels[level == 0 ? 0 : level - 1];
            for (std::int64_t layer = 0; layer <= config.layersPerBlock; ++layer, in = channels)
                block.places.push_back(place(at, layer,
                                             in + (layer == config.layersPerBlock ? before : channels),
                                             config.blockKinds[level]));
            if (level > 0) block.upsampler.emplace(at.image / "upsamplers" / 0 / "conv", channels, channels);
        }
        return made;
    }
};

/// What a forward pass hands to every layer.
struct MotionUnet::Pass {
    at::Tensor time_1E;  ///< silu of the timestep's embedding
    at::Tensor text;
    const attention::LayerContext& context;
};

MotionUnet::MotionUnet(const UnetConfig& config, const weights::WeightScope& image,
                       const std::optional<MotionConfig>& motion, const weights::WeightScope& motionWeights,
                       const MotionOptions& options)
    : MotionUnet(Loader{config, motion, {image}, {motionWeights}}) {
    move(options);
}

MotionUnet::MotionUnet(const UnetConfig& config, const weights::WeightScope& image)
    : MotionUnet(config, image, std::nullopt, image) {}

MotionUnet::MotionUnet(Loader&& loader)
    : m_config(loader.config),
      m_options(
          at::TensorOptions().dtype(loader.image.weights.dtype()).device(loader.image.weights.device())),
      m_conv_in(loader.image / "conv_in", m_config.inChannels, m_config.blockChannels.front()),
      m_time_embedding_1(Linear::load(loader.image.weights / "time_embedding" / "linear_1",
                                      m_config.blockChannels.front(), m_config.timeChannels())),
      m_time_embedding_2(Linear::load(loader.image.weights / "time_embedding" / "linear_2",
                                      m_config.timeChannels(), m_config.timeChannels())),
      m_down_blocks(loader.downBlocks()),
      m_mid_first(loader.midPlace()),
      m_mid_last(loader.residual(loader.image / "mid_block", 1, m_config.blockChannels.back(),
                                 m_config.blockChannels.back())),
      m_up_blocks(loader.upBlocks()),
      m_conv_norm_out(loader.image / "conv_norm_out", m_config.blockChannels.front(), m_config.normGroups,
                      m_config.normEps),
      m_conv_out(loader.image / "conv_out", m_config.blockChannels.front(), m_config.outChannels) {}

void MotionUnet::requireKnownBlocks(const MotionOptions& options) const {
    std::vector<std::string> known{"mid"};
    for (std::size_t i = 0; i < m_config.blocks(); ++i) {
        known.push_back("down" + std::to_string(i));
        known.push_back("up" + std::to_string(i));
    }
    for (const std::string& block : options.skippedBlocks)
        if (std::ranges::find(known, block) == known.end())
            throw Failure(ErrorCode::BadUsage, "motion_adapter_skip has '" + block +
                                                   "', mid, or down or up and a number from 0 to " +
                                                   std::to_string(m_config.blocks() - 1) + " is needed");
}

void MotionUnet::move(const MotionOptions& options) {
    requireKnownBlocks(options);
    m_manner = options.manner;
    m_framesTogether = options.framesTogether;
    m_manner.framesTogether = options.framesTogether;
    const auto moves = [&](const std::string& block) {
        return std::ranges::find(options.skippedBlocks, block) == options.skippedBlocks.end();
    };
    for (const auto& [way, blocks] : {std::pair{"down", &m_down_blocks}, {"up", &m_up_blocks}})
        for (std::size_t i = 0; i < blocks->size(); ++i)
            for (Place& place : (*blocks)[i].places) place.moves = moves(way + std::to_string(i));
    m_mid_first.moves = moves("mid");
}

/// The timestep's waves and two products; then silu, with which every residual layer begins.
at::Tensor MotionUnet::embedTimestep(double timestep) const {
    const at::Tensor waves = unet::timeWaves({timestep}, m_config.blockChannels.front()).to(m_options);
    return at::silu(m_time_embedding_2(at::silu(m_time_embedding_1(waves))));
}

at::Tensor MotionUnet::throughImageLayers(const Place& place, const at::Tensor& x_FHWC,
                                          const Pass& pass) const {
    const std::int64_t frames = x_FHWC.size(0);
    const std::int64_t most = m_framesTogether > 0 ? std::min(m_framesTogether, frames) : frames;
    std::vector<at::Tensor> made_FHWC;
    for (std::int64_t first = 0; first < frames; first += most) {
        const std::int64_t count = std::min(most, frames - first);
        at::Tensor y_FHWC = place.resnet.forward(x_FHWC.narrow(0, first, count), pass.time_1E);
        if (place.attention) {
            const at::Tensor text = pass.text.size(0) == 1 ? pass.text : pass.text.narrow(0, first, count);
            y_FHWC = place.attention->forward(y_FHWC, text, pass.context);
        }
        made_FHWC.push_back(y_FHWC);
    }
    return made_FHWC.size() == 1 ? made_FHWC.front() : at::cat(made_FHWC);
}

at::Tensor MotionUnet::throughPlace(const Place& place, const at::Tensor& x_FHWC, const Pass& pass) const {
    at::Tensor y_FHWC = throughImageLayers(place, x_FHWC, pass);
    if (place.motion && place.moves) y_FHWC = place.motion->forward(y_FHWC, m_manner, pass.context);
    return y_FHWC;
}

at::Tensor MotionUnet::down(at::Tensor x_FHWC, std::vector<at::Tensor>& skips, const Pass& pass) const {
    return unet::walkDown(
        m_down_blocks, std::move(x_FHWC), skips,
        [&](const Place& place, const at::Tensor& y_FHWC) { return throughPlace(place, y_FHWC, pass); });
}

at::Tensor MotionUnet::up(at::Tensor x_FHWC, std::vector<at::Tensor>& skips, const Pass& pass) const {
    return unet::walkUp(
        m_up_blocks, std::move(x_FHWC), skips,
        [&](const Place& place, const at::Tensor& y_FHWC) { return throughPlace(place, y_FHWC, pass); });
}

void MotionUnet::requireInputs(const at::Tensor& latents, const at::Tensor& text) const {
    if (latents.dim() != 5 || latents.size(0) != 1 || latents.size(1) != m_config.inChannels ||
        latents.numel() == 0)
        throw Failure(ErrorCode::InvalidData, "latents are " + c10::str(latents.sizes()) + ", [1, " +
                                                  std::to_string(m_config.inChannels) +
                                                  ", frames, height, width] was needed");
    const bool fits = text.dim() == 3 && (text.size(0) == 1 || text.size(0) == latents.size(2)) &&
                      text.size(1) > 0 && text.size(2) == m_config.crossAttentionDim;
    if (!fits)
        throw Failure(ErrorCode::InvalidData,
                      "the text is " + c10::str(text.sizes()) + ", [1 or " + std::to_string(latents.size(2)) +
                          ", tokens, " + std::to_string(m_config.crossAttentionDim) + "] was needed");
}

at::Tensor MotionUnet::forward(const at::Tensor& latents, const at::Tensor& time_1E, const at::Tensor& text,
                               const attention::LayerContext& context) const {
    requireInputs(latents, text);
    const Pass pass{time_1E, text.to(m_options), context};
    const at::Tensor x_FHWC = latents[0].to(m_options).permute({1, 2, 3, 0}).contiguous();
    std::vector<at::Tensor> skips;
    at::Tensor y_FHWC = down(m_conv_in.forward(x_FHWC), skips, pass);
    y_FHWC = m_mid_last.forward(throughPlace(m_mid_first, y_FHWC, pass), pass.time_1E);
    y_FHWC = up(y_FHWC, skips, pass);
    return m_conv_out.forward(m_conv_norm_out.forwardSilu(y_FHWC)).permute({3, 0, 1, 2}).unsqueeze(0);
}

}  // namespace reelgrid::models::animatediff
