#include "core/models/animatediff/motion_module.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::models::animatediff {
namespace {

constexpr double kMotionNormEps = 1e-6;

}  // namespace

at::Tensor sinusoidalPositions(std::int64_t frames, std::int64_t channels) {
    const double rate = -std::log(10000.0) / static_cast<double>(channels);
    // In fp32 throughout, as the reference has it.
    const at::Tensor frequencies = at::exp(at::arange(0, channels, 2, at::kLong) * rate);
    const at::Tensor angles = at::arange(frames, at::kLong).unsqueeze(1) * frequencies;
    return at::stack({at::sin(angles), at::cos(angles)}, -1).flatten(1).unsqueeze(0);
}

MotionModule::MotionModule(const vae::LayerSource& source, const Sizes& sizes, int place)
    : m_sizes(sizes),
      m_place(place),
      m_norm(source / "norm", sizes.channels, sizes.normGroups, kMotionNormEps),
      m_proj_in(Linear::load(source.weights / "proj_in", sizes.channels, sizes.channels)),
      m_proj_out(Linear::load(source.weights / "proj_out", sizes.channels, sizes.channels)) {
    const auto c = sizes.channels;
    for (std::int64_t i = 0; i < sizes.layers; ++i) {
        const weights::WeightScope block = source.weights / "transformer_blocks" / i;
        constexpr const char* kPositions = "pos_embed.pe";
        const at::Tensor positions =
            block.has(kPositions) ? block(kPositions, {1, sizes.maxFrames, c})
                                  : sinusoidalPositions(sizes.maxFrames, c)
                                        .to(at::TensorOptions().dtype(block.dtype()).device(block.device()));
        m_blocks.push_back({.norm1 = TokenNorm::load(block / "norm1", c),
                            .norm2 = TokenNorm::load(block / "norm2", c),
                            .norm3 = TokenNorm::load(block / "norm3", c),
                            .attn1 = SelfProducts::load(block / "attn1", c),
                            .attn2 = SelfProducts::load(block / "attn2", c),
                            .ff = GatedFeedForward::load(block / "ff", c),
                            .positions_1FC = positions});
    }
}

at::Tensor MotionModule::attend(const SelfProducts& products, const at::Tensor& x_PFC,
                                const attention::LayerContext& context) const {
    const auto running = context.during(execution::Part::SelfAttention);
    const auto qkv = products.to_qkv(x_PFC).chunk(3, -1);
    const at::Tensor mixed_PHFD = context.dispatcher.attend({.q_BHND = unet::headsOf(qkv[0], m_sizes.heads),
                                                             .k_BHMD = unet::headsOf(qkv[1], m_sizes.heads),
                                                             .v_BHMD = unet::headsOf(qkv[2], m_sizes.heads),
                                                             .keyBias_M = {}},
                                                            {attention::ModuleKind::Temporal, m_place});
    return products.to_out(mixed_PHFD.transpose(1, 2).flatten(2));
}

at::Tensor MotionModule::attendTogether(const Block& block, const at::Tensor& x_PFC,
                                        const attention::LayerContext& context) const {
    const at::Tensor positions_1FC = block.positions_1FC.narrow(1, 0, x_PFC.size(1));
    const at::Tensor y_PFC = x_PFC + attend(block.attn1, block.norm1(x_PFC) + positions_1FC, context);
    return y_PFC + attend(block.attn2, block.norm2(y_PFC) + positions_1FC, context);
}

at::Tensor MotionModule::attendInWindows(const Block& block, const at::Tensor& x_PFC,
                                         const FrameWindows& windows,
                                         const attention::LayerContext& context) const {
    const std::int64_t frames = x_PFC.size(1), length = std::min(windows.length, frames);
    const at::Tensor weights_F1 = windows.weightsOver(length, x_PFC.options()).unsqueeze(1);
    at::Tensor sum_PFC = at::zeros_like(x_PFC);
    const at::Tensor weight_F1 = at::zeros({frames, 1}, x_PFC.options());
    for (const std::int64_t begin : windows.beginsIn(frames)) {
        // A window over the clip's end goes on at its beginning.
        const std::int64_t before = std::min(length, frames - begin), after = length - before;
        const at::Tensor window_PFC =
            after == 0 ? x_PFC.narrow(1, begin, length)
                       : at::cat({x_PFC.narrow(1, begin, before), x_PFC.narrow(1, 0, after)}, 1);
        const at::Tensor seen_PFC = attendTogether(block, window_PFC, context) * weights_F1;
        const std::int64_t skipped = length - windows.countedOf(begin, frames);
        const auto add = [&](std::int64_t to, std::int64_t from, std::int64_t count) {
            sum_PFC.narrow(1, to, count).add_(seen_PFC.narrow(1, from, count));
            weight_F1.narrow(0, to, count).add_(weights_F1.narrow(0, from, count));
        };
        add(begin + skipped, skipped, before - skipped);
        if (after > 0) add(0, before, after);
    }
    return sum_PFC.div_(weight_F1);
}

at::Tensor MotionModule::throughBlocks(at::Tensor x_PFC, const Manner& manner,
                                       const attention::LayerContext& context) const {
    x_PFC = m_proj_in(x_PFC.contiguous());
    for (const Block& block : m_blocks) {
        x_PFC = manner.windows ? attendInWindows(block, x_PFC, *manner.windows, context)
                               : attendTogether(block, x_PFC, context);
        const auto running = context.during(execution::Part::FeedForward);
        x_PFC = x_PFC + block.ff(block.norm3(x_PFC));
    }
    return m_proj_out(x_PFC);
}

at::Tensor MotionModule::forward(const at::Tensor& x_FHWC, const Manner& manner,
                                 const attention::LayerContext& context) const {
    const std::int64_t frames = x_FHWC.size(0);
    const std::int64_t together = manner.windows ? std::min(manner.windows->length, frames) : frames;
    if (together > m_sizes.maxFrames)
        throw Failure(ErrorCode::BadUsage, std::to_string(together) +
                                               " frames at once, the motion module has " +
                                               std::to_string(m_sizes.maxFrames) + " positions");
    // A norm's groups reach over all frames: as one picture, the frames below one another.
    const at::Tensor normed_FPC =
        m_norm.forward(x_FHWC.flatten(0, 1).unsqueeze(0)).view({frames, -1, m_sizes.channels});
    const std::int64_t pixels = normed_FPC.size(1);
    const bool inParts = manner.framesTogether > 0 && manner.framesTogether < frames;
    const std::int64_t most =
        inParts ? std::max<std::int64_t>(1, pixels * manner.framesTogether / frames) : pixels;
    std::vector<at::Tensor> made_PFC;
    for (std::int64_t first = 0; first < pixels; first += most)
        made_PFC.push_back(throughBlocks(
            normed_FPC.narrow(1, first, std::min(most, pixels - first)).transpose(0, 1), manner, context));
    const at::Tensor y_PFC = made_PFC.size() == 1 ? made_PFC.front() : at::cat(made_PFC);
    const at::Tensor moved_FHWC = y_PFC.transpose(0, 1).reshape(x_FHWC.sizes());
    return manner.strength == 1 ? x_FHWC + moved_FHWC : at::add(x_FHWC, moved_FHWC, manner.strength);
}

}  // namespace reelgrid::models::animatediff
