#include "core/models/svd/unet.h"

#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/models/unet/walk.h"

namespace reelgrid::models::svd {

/// Makes the parts in the order of a forward pass, in which places are counted.
struct VideoUnet::Loader {
    const VideoUnetConfig& config;
    vae::LayerSource source;
    int nextPlace = 0;

    using Kind = VideoUnetConfig::BlockKind;
    /// A block in a checkpoint; `level`: its size, 0 the full one; `normEps` of its residual layers.
    struct At {
        vae::LayerSource source;
        std::size_t level = 0;
        Kind kind = Kind::CrossAttention;
        double normEps = 1e-5;
    };
    [[nodiscard]] Linear embedding(const char* name, const char* layer, std::int64_t in) const {
        return Linear::load(source.weights / name / layer, in, config.timeChannels());
    }
    [[nodiscard]] VideoResidual residual(const At& at, std::int64_t layer, std::int64_t in) const {
        return {at.source / "resnets" / layer,
                {.in = in,
                 .out = config.blockChannels[at.level],
                 .timeChannels = config.timeChannels(),
                 .normGroups = VideoUnetConfig::kNormGroups,
                 .normEps = at.normEps}};
    }
    Place place(const At& at, std::int64_t layer, std::int64_t in) {
        Place made{residual(at, layer, in), {}};
        if (at.kind == Kind::CrossAttention)
            made.attention.emplace(at.source / "attentions" / layer,
                                   VideoTransformer::Sizes{.channels = config.blockChannels[at.level],
                                                           .heads = config.heads[at.level],
                                                           .pictureChannels = config.crossAttentionDim,
                                                           .layers = config.transformerLayers},
                                   nextPlace);
        ++nextPlace;
        return made;
    }
    std::vector<Block> downBlocks() {
        std::vector<Block> made;
        std::int64_t in = config.blockChannels.front();
        for (std::size_t i = 0; i < config.blocks(); ++i) {
            // Attention's blocks on the way down have norms of their own.
            const Kind kind = config.blockKinds[i];
            const At at{source / "down_blocks" / std::int64_t(i), i, kind,
                        kind == Kind::CrossAttention ? 1e-6 : 1e-5};
            Block& block = made.emplace_back();
            const std::int64_t channels = config.blockChannels[i];
            for (std::int64_t layer = 0; layer < config.layersPerBlock; ++layer, in = channels)
                block.places.push_back(place(at, layer, in));
            if (i + 1 < config.blocks())
                block.downsampler.emplace(at.source / "downsamplers" / 0 / "conv", channels,
                                          vae::HalvingConv::Zeros::Around);
        }
        return made;
    }
    [[nodiscard]] At mid() const { return {source / "mid_block", config.blocks() - 1}; }
    Place midPlace() { return place(mid(), 0, config.blockChannels.back()); }
    std::vector<Block> upBlocks() {
        std::vector<Block> made;
        std::int64_t in = config.blockChannels.back();
        for (std::size_t i = 0; i < config.blocks(); ++i) {
            const std::size_t level = config.blocks() - 1 - i;
            const At at{source / "up_blocks" / std::int64_t(i), level, config.blockKinds[level]};
            Block& block = made.emplace_back();
            const std::int64_t channels = config.blockChannels[level];
            // The way down's outputs come back in the opposite order, the last of a block from the block
            // before.
            const std::int64_t before = config.blockChannels[level == 0 ? 0 : level - 1];
            for (std::int64_t layer = 0; layer <= config.layersPerBlock; ++layer, in = channels)
                block.places.push_back(
                    place(at, layer, in + (layer == config.layersPerBlock ? before : channels)));
            if (level > 0) block.upsampler.emplace(at.source / "upsamplers" / 0 / "conv", channels, channels);
        }
        return made;
    }
};

/// What a forward pass hands to every layer.
struct VideoUnet::Pass {
    at::Tensor time_1E;
    at::Tensor picture;
    const attention::LayerContext& context;
};

VideoUnet::VideoUnet(const VideoUnetConfig& config, const weights::WeightScope& scope)
    : VideoUnet(Loader{config, {scope}}) {}

VideoUnet::VideoUnet(Loader&& loader)
    : m_config(loader.config),
      m_options(
          at::TensorOptions().dtype(loader.source.weights.dtype()).device(loader.source.weights.device())),
      m_conv_in(loader.source / "conv_in", m_config.inChannels, m_config.blockChannels.front()),
      m_time_embedding_1(loader.embedding("time_embedding", "linear_1", m_config.blockChannels.front())),
      m_time_embedding_2(loader.embedding("time_embedding", "linear_2", m_config.timeChannels())),
      m_add_embedding_1(loader.embedding("add_embedding", "linear_1",
                                         VideoUnetConfig::kAddedNumbers * m_config.additionTimeEmbedDim)),
      m_add_embedding_2(loader.embedding("add_embedding", "linear_2", m_config.timeChannels())),
      m_down_blocks(loader.downBlocks()),
      m_mid_first(loader.midPlace()),
      m_mid_last(loader.residual(loader.mid(), 1, m_config.blockChannels.back())),
      m_up_blocks(loader.upBlocks()),
      m_conv_norm_out(loader.source / "conv_norm_out", m_config.blockChannels.front(),
                      VideoUnetConfig::kNormGroups, 1e-5),
      m_conv_out(loader.source / "conv_out", m_config.blockChannels.front(), m_config.outChannels) {}

/// Waves of the timestep and of the motion's numbers, two products of each; then silu of their sum, with
/// which every residual layer begins.
at::Tensor VideoUnet::embedTime(double timestep, const Motion& motion) const {
    const auto dtype = c10::typeMetaToScalarType(m_options.dtype());
    const auto rounded = [&](double value) {
        // Numbers come in the model's dtype in the reference.
        return at::scalar_tensor(value, at::kFloat).to(dtype).to(at::kDouble).item<double>();
    };
    const at::Tensor time = unet::timeWaves({timestep}, m_config.blockChannels.front()).to(m_options);
    const at::Tensor added =
        unet::timeWaves({rounded(motion.fps), rounded(motion.bucket), rounded(motion.noise)},
                        m_config.additionTimeEmbedDim)
            .flatten()
            .unsqueeze(0)
            .to(m_options);
    return at::silu(m_time_embedding_2(at::silu(m_time_embedding_1(time))) +
                    m_add_embedding_2(at::silu(m_add_embedding_1(added))));
}

at::Tensor VideoUnet::throughPlace(const Place& place, const at::Tensor& x_FHWC, const Pass& pass) {
    at::Tensor y_FHWC = place.resnet.forward(x_FHWC, pass.time_1E);
    return place.attention ? place.attention->forward(y_FHWC, pass.picture, pass.context) : y_FHWC;
}

at::Tensor VideoUnet::down(at::Tensor x_FHWC, std::vector<at::Tensor>& skips, const Pass& pass) const {
    return unet::walkDown(
        m_down_blocks, std::move(x_FHWC), skips,
        [&](const Place& place, const at::Tensor& y_FHWC) { return throughPlace(place, y_FHWC, pass); });
}

at::Tensor VideoUnet::up(at::Tensor x_FHWC, std::vector<at::Tensor>& skips, const Pass& pass) const {
    return unet::walkUp(
        m_up_blocks, std::move(x_FHWC), skips,
        [&](const Place& place, const at::Tensor& y_FHWC) { return throughPlace(place, y_FHWC, pass); });
}

void VideoUnet::requireInputs(const at::Tensor& latents, const at::Tensor& picture) const {
    if (latents.dim() != 5 || latents.size(0) != 1 || latents.size(1) != m_config.inChannels ||
        latents.numel() == 0)
        throw Failure(ErrorCode::InvalidData, "latents are " + c10::str(latents.sizes()) + ", [1, " +
                                                  std::to_string(m_config.inChannels) +
                                                  ", frames, height, width] was needed");
    if (picture.dim() != 3 || picture.size(0) != 1 || picture.size(1) < 1 ||
        picture.size(2) != m_config.crossAttentionDim)
        throw Failure(ErrorCode::InvalidData,
                      "the picture is " + c10::str(picture.sizes()) + ", [1, tokens, " +
                          std::to_string(m_config.crossAttentionDim) + "] was needed");
}

at::Tensor VideoUnet::forward(const at::Tensor& latents, const at::Tensor& time_1E, const at::Tensor& picture,
                              const attention::LayerContext& context) const {
    requireInputs(latents, picture);
    const Pass pass{time_1E, picture.to(m_options), context};
    const at::Tensor x_FHWC = latents[0].to(m_options).permute({1, 2, 3, 0}).contiguous();
    std::vector<at::Tensor> skips;
    at::Tensor y_FHWC = down(m_conv_in.forward(x_FHWC), skips, pass);
    y_FHWC = m_mid_last.forward(throughPlace(m_mid_first, y_FHWC, pass), pass.time_1E);
    y_FHWC = up(y_FHWC, skips, pass);
    return m_conv_out.forward(m_conv_norm_out.forwardSilu(y_FHWC)).permute({3, 0, 1, 2}).unsqueeze(0);
}

}  // namespace reelgrid::models::svd
