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

unet::TokenNorm::OfSum TimeBlock::attended(const at::Tensor& x_FPC, const at::Tensor& normed_FPC,
                                           const at::Tensor& picture, int place,
                                           const attention::LayerContext& context) const {
    const unet::PendingSum sum{x_FPC, unet::attendAlongTime(m_attn1, normed_FPC, m_heads, place, context)};
    if (unet::isOneToken(picture))
        return m_norm3.ofSumAndRow(sum, unet::answerOfOneToken(m_attn2, picture, m_heads, place, context));
    const auto [y_FPC, asking_FPC] = m_norm2.ofSum(sum);
    return m_norm3.ofSum({y_FPC, unet::attendCross(m_attn2, asking_FPC, picture, m_heads, place, context)});
}

unet::PendingSum TimeBlock::forward(const at::Tensor& x_FPC, const at::Tensor& positions_F1C,
                                    const at::Tensor& picture, int place,
                                    const attention::LayerContext& context) const {
    unet::TokenNorm::OfSum y = m_norm_in.ofSum({x_FPC, positions_F1C});
    {
        const auto running = context.during(execution::Part::FeedForward);
        y = m_norm1.ofSum({y.sum_FPC, m_ff_in(y.normed_FPC)});
    }
    y = attended(y.sum_FPC, y.normed_FPC, picture, place, context);
    const auto running = context.during(execution::Part::FeedForward);
    return {y.sum_FPC, m_ff(y.normed_FPC)};
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

const at::Tensor& VideoTransformer::framePositions(std::int64_t frames,
                                                   const at::TensorOptions& options) const {
    if (m_framePositions_F1C.defined() && m_framePositions_F1C.size(0) == frames) return m_framePositions_F1C;
    std::vector<double> numbers;
    for (std::int64_t frame = 0; frame < frames; ++frame) numbers.push_back(static_cast<double>(frame));
    const at::Tensor waves_FC = unet::timeWaves(numbers, m_channels).to(options);
    m_framePositions_F1C = m_time_pos_embed_2(at::silu(m_time_pos_embed_1(waves_FC))).unsqueeze(1);
    return m_framePositions_F1C;
}

at::Tensor VideoTransformer::forward(const at::Tensor& x_FHWC, const at::Tensor& picture,
                                     const attention::LayerContext& context) const {
    const attention::LayerContext here = unet::contextOf(x_FHWC, context);
    const at::Tensor& positions_F1C = framePositions(x_FHWC.size(0), x_FHWC.options());
    at::Tensor y_FPC = m_proj_in(m_norm.forward(x_FHWC).flatten(1, 2));
    for (const Turn& turn : m_turns) {
        y_FPC = turn.still.forward(y_FPC, picture, m_place, here).value();
        y_FPC = turn.moving.forward(y_FPC, positions_F1C, picture, m_place, here)
                    .blendedInto(y_FPC, m_time_share);
    }
    return x_FHWC + m_proj_out(y_FPC).view_as(x_FHWC);
}

}  // namespace reelgrid::models::svd
