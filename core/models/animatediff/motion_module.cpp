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
                            .positions_F1C = positions.transpose(0, 1).contiguous()});
    }
}

unet::PendingSum MotionModule::attendTogether(const Block& block, const at::Tensor& x_FPC,
                                              const attention::LayerContext& context) const {
    const at::Tensor positions_F1C = block.positions_F1C.narrow(0, 0, x_FPC.size(0));
    const auto attend = [&](const SelfProducts& products, const at::Tensor& normed_FPC) {
        return unet::attendAlongTime(products, normed_FPC, m_sizes.heads, m_place, context);
    };
    const auto [y_FPC, normed_FPC] =
        block.norm2.ofSum({x_FPC, attend(block.attn1, block.norm1(x_FPC, positions_F1C))}, positions_F1C);
    return {y_FPC, attend(block.attn2, normed_FPC)};
}

at::Tensor MotionModule::attendInWindows(const Block& block, const at::Tensor& x_FPC,
                                         const FrameWindows& windows,
                                         const attention::LayerContext& context) const {
    const std::int64_t frames = x_FPC.size(0), length = std::min(windows.length, frames);
    const at::Tensor weights_F11 = windows.weightsOver(length, x_FPC.options()).view({-1, 1, 1});
    at::Tensor sum_FPC = at::zeros_like(x_FPC);
    const at::Tensor weight_F11 = at::zeros({frames, 1, 1}, x_FPC.options());
    for (const std::int64_t begin : windows.beginsIn(frames)) {
        // A window over the clip's end goes on at its beginning.
        const std::int64_t before = std::min(length, frames - begin), after = length - before;
        const at::Tensor window_FPC =
            after == 0 ? x_FPC.narrow(0, begin, length)
                       : at::cat({x_FPC.narrow(0, begin, before), x_FPC.narrow(0, 0, after)}, 0);
        const at::Tensor seen_FPC = attendTogether(block, window_FPC, context).value() * weights_F11;
        const std::int64_t skipped = length - windows.countedOf(begin, frames);
        const auto add = [&](std::int64_t to, std::int64_t from, std::int64_t count) {
            sum_FPC.narrow(0, to, count).add_(seen_FPC.narrow(0, from, count));
            weight_F11.narrow(0, to, count).add_(weights_F11.narrow(0, from, count));
        };
        add(begin + skipped, skipped, before - skipped);
        if (after > 0) add(0, before, after);
    }
    return sum_FPC.div_(weight_F11);
}

at::Tensor MotionModule::throughBlocks(const at::Tensor& normed_FPC, const Manner& manner,
                                       const attention::LayerContext& context) const {
    at::Tensor x_FPC = m_proj_in(normed_FPC);
    for (const Block& block : m_blocks) {
        unet::TokenNorm::OfSum y;
        if (manner.windows) {
            y.sum_FPC = attendInWindows(block, x_FPC, *manner.windows, context);
            y.normed_FPC = block.norm3(y.sum_FPC);
        } else {
            y = block.norm3.ofSum(attendTogether(block, x_FPC, context));
        }
        const auto running = context.during(execution::Part::FeedForward);
        x_FPC = y.sum_FPC + block.ff(y.normed_FPC);
    }
    return m_proj_out(x_FPC);
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
    std::vector<at::Tensor> made_FPC;
    for (std::int64_t first = 0; first < pixels; first += most)
        made_FPC.push_back(throughBlocks(
            normed_FPC.narrow(1, first, std::min(most, pixels - first)).contiguous(), manner, context));
    const at::Tensor moved_FHWC =
        (made_FPC.size() == 1 ? made_FPC.front() : at::cat(made_FPC, 1)).view(x_FHWC.sizes());
    return manner.strength == 1 ? x_FHWC + moved_FHWC : at::add(x_FHWC, moved_FHWC, manner.strength);
}

}  // namespace reelgrid::models::animatediff
