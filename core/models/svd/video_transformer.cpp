#include "core/models/svd/video_transformer.h"

#include "core/models/svd/config.h"
#include "core/vae/temporal_residual.h"

namespace reelgrid::models::svd {
namespace {

constexpr double kFramesNormEps = 1e-6;

}  // namespace

TimeBlock::TimeBlock(const weights::WeightScope& scope, const unet::TokenBlock::Sizes& sizes)
    : m_heads(sizes.heads),
      m_norm_in(unet::TokenNorm::load(scope / "norm_in", sizes.channels)),
      m_norm1(unet::TokenNorm::load(scope / "norm1", sizes.channels)),
      m_norm2(unet::TokenNorm::load(scope / "norm2", sizes.channels)),
      m_norm3(unet::TokenNorm::load(scope / "norm3", sizes.channels)),
      m_ff_in(unet::GatedFeedForward::load(scope / "ff_in", sizes.channels)),
      m_attn1(unet::SelfProducts::load(scope / "attn1", sizes.channels)),
      m_attn2(unet::CrossProducts::load(scope / "attn2", sizes.channels, sizes.otherChannels)),
      m_ff(unet::GatedFeedForward::load(scope / "ff", sizes.channels)) {}

/// The tokens stay where they are: each pixel's values in all frames are a view.
at::Tensor TimeBlock::attendAlongTime(const at::Tensor& x_FPC, int place,
                                      const attention::LayerContext& context) const {
    const auto running = context.during(execution::Part::SelfAttention);
    const auto qkv = m_attn1.to_qkv(x_FPC).chunk(3, -1);
    const auto heads_PHFD = [&](const at::Tensor& part_FPC) {
        return part_FPC.unflatten(-1, {m_heads, -1}).permute({1, 2, 0, 3});
    };
    const at::Tensor mixed_PHFD = context.dispatcher.attend({.q_BHND = heads_PHFD(qkv[0]),
                                                             .k_BHMD = heads_PHFD(qkv[1]),
                                                             .v_BHMD = heads_PHFD(qkv[2]),
                                                             .keyBias_M = {}},
                                                            {attention::ModuleKind::Temporal, place});
    return m_attn1.to_out(mixed_PHFD.permute({2, 0, 1, 3}).flatten(2));
}

at::Tensor TimeBlock::forward(const at::Tensor& x_FPC, const at::Tensor& picture, int place,
                              const attention::LayerContext& context) const {
    at::Tensor y_FPC;
    {
        const auto running = context.during(execution::Part::FeedForward);
        y_FPC = x_FPC + m_ff_in(m_norm_in(x_FPC));
    }
    y_FPC = y_FPC + attendAlongTime(m_norm1(y_FPC), place, context);
    y_FPC = y_FPC + unet::attendCross(m_attn2, m_norm2(y_FPC), picture, m_heads, place, context);
    const auto running = context.during(execution::Part::FeedForward);
    return y_FPC + m_ff(m_norm3(y_FPC));
}

VideoTransformer::VideoTransformer(const vae::LayerSource& source, const Sizes& sizes, int place)
    : m_channels(sizes.channels),
      m_place(place),
      m_norm(source / "norm", sizes.channels, VideoUnetConfig::kNormGroups, kFramesNormEps),
      m_proj_in(Linear::load(source.weights / "proj_in", sizes.channels, sizes.channels)),
      m_proj_out(Linear::load(source.weights / "proj_out", sizes.channels, sizes.channels)),
      m_time_pos_embed_1(
          Linear::load(source.weights / "time_pos_embed" / "linear_1", sizes.channels, 4 * sizes.channels)),
      m_time_pos_embed_2(
          Linear::load(source.weights / "time_pos_embed" / "linear_2", 4 * sizes.channels, sizes.channels)),
      m_time_share(vae::TimeShare::load(source.weights / "time_mixer", vae::TimeShare::Of::StillFrames)) {
    const unet::TokenBlock::Sizes block{
        .channels = sizes.channels, .heads = sizes.heads, .otherChannels = sizes.pictureChannels};
    for (std::int64_t i = 0; i < sizes.layers; ++i)
        m_turns.push_back({unet::TokenBlock(source.weights / "transformer_blocks" / i, block),
                           TimeBlock(source.weights / "temporal_transformer_blocks" / i, block)});
}

at::Tensor VideoTransformer::framePositions(std::int64_t frames, const at::TensorOptions& options) const {
    std::vector<double> numbers;
    for (std::int64_t frame = 0; frame < frames; ++frame) numbers.push_back(static_cast<double>(frame));
    const at::Tensor waves_FC = unet::timeWaves(numbers, m_channels).to(options);
    return m_time_pos_embed_2(at::silu(m_time_pos_embed_1(waves_FC))).unsqueeze(1);
}

at::Tensor VideoTransformer::forward(const at::Tensor& x_FHWC, const at::Tensor& picture,
                                     const attention::LayerContext& context) const {
    const at::Tensor positions_F1C = framePositions(x_FHWC.size(0), x_FHWC.options());
    at::Tensor y_FPC = m_proj_in(m_norm.forward(x_FHWC).flatten(1, 2));
    for (const Turn& turn : m_turns) {
        y_FPC = turn.still.forward(y_FPC, picture, m_place, context);
        const at::Tensor moved_FPC = turn.moving.forward(y_FPC + positions_F1C, picture, m_place, context);
        y_FPC = at::lerp(y_FPC, moved_FPC, m_time_share);
    }
    return x_FHWC + m_proj_out(y_FPC).view_as(x_FHWC);
}

}  // namespace reelgrid::models::svd
