#include "core/models/unet/layers.h"

#include <algorithm>
#include <cmath>

namespace reelgrid::models::unet {

ResidualBlock::ResidualBlock(const LayerSource& source, const Sizes& sizes)
    : m_norm1(source / "norm1", sizes.in, sizes.normGroups, sizes.normEps),
      m_conv1(source / "conv1", sizes.in, sizes.out),
      m_time_emb_proj(Linear::load(source.weights / "time_emb_proj", sizes.timeChannels, sizes.out)),
      m_norm2(source / "norm2", sizes.out, sizes.normGroups, sizes.normEps),
      m_conv2(source / "conv2", sizes.out, sizes.out) {
    if (sizes.in != sizes.out)
        m_conv_shortcut.emplace(source / "conv_shortcut", sizes.in, sizes.out, vae::PointConv::Of::Image);
}

at::Tensor ResidualBlock::forward(const at::Tensor& x_FHWC, const at::Tensor& time_1E) const {
    if (m_conv1.isOnGpu()) {
        // The second norm adds what the first convolution leaves out.
        const at::Tensor made_FHWO = m_conv1.product(m_norm1.forwardSilu(x_FHWC));
        const at::Tensor normed_FHWO =
            m_norm2.forwardSilu(made_FHWO, m_time_emb_proj(time_1E) + m_conv1.bias_1O());
        return m_conv2.forward(normed_FHWO, m_conv_shortcut ? m_conv_shortcut->forward(x_FHWC) : x_FHWC);
    }
    at::Tensor y_FHWO = m_conv1.forward(m_norm1.forwardSilu(x_FHWC));
    y_FHWO.add_(m_time_emb_proj(time_1E));
    // Memory of its own: the convolution may write its sum there.
    const at::Tensor shortcut_FHWO = m_conv_shortcut ? m_conv_shortcut->forward(x_FHWC) : x_FHWC.clone();
    return m_conv2.forward(m_norm2.forwardSilu(y_FHWO), shortcut_FHWO);
}

at::Tensor GatedFeedForward::operator()(const at::Tensor& x_BNC) const {
    const auto all = [&](const at::Tensor& some_BNC) { return out(gatedGelu(proj(some_BNC))); };
    const std::int64_t count = x_BNC.size(0),
                       each = 2 * kWider * x_BNC.numel() / std::max<std::int64_t>(count, 1);
    const std::int64_t together = std::max<std::int64_t>(1, kMostValues / std::max<std::int64_t>(each, 1));
    if (together >= count) return all(x_BNC);
    at::Tensor y_BNC = at::empty_like(x_BNC);
    for (std::int64_t first = 0; first < count; first += together) {
        const std::int64_t some = std::min(together, count - first);
        at::Tensor made_BNC = y_BNC.narrow(0, first, some);
        if (x_BNC.is_cuda()) {
            const at::Tensor gated = gatedGelu(proj(x_BNC.narrow(0, first, some)));
            at::Tensor rows = made_BNC.flatten(0, 1);
            at::addmm_out(rows, out.bias, gated.flatten(0, 1), out.weight.t());
        } else {
            made_BNC.copy_(all(x_BNC.narrow(0, first, some)));
        }
    }
    return y_BNC;
}

SelfProducts SelfProducts::load(const weights::WeightScope& scope, std::int64_t channels) {
    const auto weight = [&](const char* name) { return (scope / name)("weight", {channels, channels}); };
    return {.to_qkv = Linear{.weight = at::cat({weight("to_q"), weight("to_k"), weight("to_v")}), .bias = {}},
            .to_out = Linear::load(scope / "to_out" / 0, channels, channels)};
}

CrossProducts CrossProducts::load(const weights::WeightScope& scope, std::int64_t channels,
                                  std::int64_t otherChannels) {
    const auto weight = [&](const char* name, std::int64_t in) {
        return (scope / name)("weight", {channels, in});
    };
    return {.to_q_CC = weight("to_q", channels),
            .to_kv_OX = at::cat({weight("to_k", otherChannels), weight("to_v", otherChannels)}),
            .to_out = Linear::load(scope / "to_out" / 0, channels, channels)};
}

void noteTokenLayers(const vae::Activations& x, std::size_t beside, vae::PictureMemory& memory) {
    // The normed; queries, keys and values; what they become, in order of tokens, its product.
    constexpr std::size_t kAttention = 1 + 3 + 3;
    // The normed; a product 8 times as wide, gelu of its half and theirs, 4 times; the last.
    constexpr std::size_t kFeedForward = 1 + 8 + 4 + 4 + 1;
    for (const std::size_t tensors : {kAttention, kFeedForward})
        memory.note(vae::MemoryWalk::Pieces(beside + 1 + tensors, memory.bytesOf(x)));
}

at::Tensor headsOf(const at::Tensor& x_BNC, std::int64_t heads) {
    return x_BNC.unflatten(-1, {heads, -1}).transpose(1, 2);
}

namespace {

/// Of the place that the context is of, `frames` to a sequence.
attention::TokenGrid gridOfFrames(const attention::LayerContext& context, std::int64_t frames) {
    attention::TokenGrid grid = context.grid;
    if (grid.isKnown()) grid.frames = frames;
    return grid;
}

attention::TokenGrid gridAlongTime(std::int64_t frames) {
    return {.frames = frames, .rows = 1, .columns = 1};
}

}  // namespace

attention::LayerContext contextOf(const at::Tensor& x_FHWC, attention::LayerContext context) {
    context.grid = {.frames = x_FHWC.size(0), .rows = x_FHWC.size(1), .columns = x_FHWC.size(2)};
    return context;
}

at::Tensor attendSelf(const SelfProducts& products, const at::Tensor& x_FPC, std::int64_t heads, int place,
                      const attention::LayerContext& context) {
    const auto running = context.during(execution::Part::SelfAttention);
    const auto qkv = products.to_qkv(x_FPC).chunk(3, -1);
    const at::Tensor mixed_FHPD = context.dispatcher.attend({.q_BHND = headsOf(qkv[0], heads),
                                                             .k_BHMD = headsOf(qkv[1], heads),
                                                             .v_BHMD = headsOf(qkv[2], heads),
                                                             .keyBias_M = {},
                                                             .grid = gridOfFrames(context, 1)},
                                                            {attention::ModuleKind::Self, place});
    return products.to_out(mixed_FHPD.transpose(1, 2).flatten(2));
}

at::Tensor attendAlongTime(const SelfProducts& products, const at::Tensor& x_FPC, std::int64_t heads,
                           int place, const attention::LayerContext& context) {
    const auto running = context.during(execution::Part::SelfAttention);
    const auto qkv = products.to_qkv(x_FPC).chunk(3, -1);
    const auto heads_PHFD = [&](const at::Tensor& part_FPC) {
        return part_FPC.unflatten(-1, {heads, -1}).permute({1, 2, 0, 3});
    };
    const at::Tensor mixed_PHFD = context.dispatcher.attend({.q_BHND = heads_PHFD(qkv[0]),
                                                             .k_BHMD = heads_PHFD(qkv[1]),
                                                             .v_BHMD = heads_PHFD(qkv[2]),
                                                             .keyBias_M = {},
                                                             .grid = gridAlongTime(x_FPC.size(0))},
                                                            {attention::ModuleKind::Temporal, place});
    return products.to_out(mixed_PHFD.permute({2, 0, 1, 3}).flatten(2));
}

at::Tensor answerOfOneToken(const CrossProducts& products, const at::Tensor& token_11X, std::int64_t heads,
                            int place, const attention::LayerContext& context) {
    const auto running = context.during(execution::Part::CrossAttention);
    const auto kv = execution::linear(token_11X, products.to_kv_OX).chunk(2, -1);
    const at::Tensor mixed_1H1D = context.dispatcher.attend({.q_BHND = headsOf(kv[0], heads),
                                                             .k_BHMD = headsOf(kv[0], heads),
                                                             .v_BHMD = headsOf(kv[1], heads),
                                                             .keyBias_M = {}},
                                                            {attention::ModuleKind::Cross, place});
    return products.to_out(mixed_1H1D.transpose(1, 2).flatten(2));
}

/// Where all frames look at the same tokens their pixels are one sequence of queries: the same sums, one
/// call.
at::Tensor attendCross(const CrossProducts& products, const at::Tensor& x_FPC, const at::Tensor& tokens,
                       std::int64_t heads, int place, const attention::LayerContext& context) {
    const auto running = context.during(execution::Part::CrossAttention);
    const bool shared = tokens.size(0) == 1;
    const at::Tensor q = execution::linear(x_FPC, products.to_q_CC);
    const auto kv = execution::linear(tokens, products.to_kv_OX).chunk(2, -1);
    const at::Tensor mixed =
        context.dispatcher.attend({.q_BHND = headsOf(shared ? q.flatten(0, 1).unsqueeze(0) : q, heads),
                                   .k_BHMD = headsOf(kv[0], heads),
                                   .v_BHMD = headsOf(kv[1], heads),
                                   .keyBias_M = {},
                                   .grid = gridOfFrames(context, shared ? x_FPC.size(0) : 1)},
                                  {attention::ModuleKind::Cross, place});
    return products.to_out(mixed.transpose(1, 2).flatten(2).view_as(x_FPC));
}

at::Tensor timeWaves(const std::vector<double>& values, std::int64_t channels) {
    const std::int64_t half = channels / 2;
    // In fp32 and in this order, so that the roundings are the reference's.
    const at::Tensor exponents =
        at::arange(half, at::kFloat) * -std::log(10000.0) / static_cast<double>(half);
    const at::Tensor values_V1 = at::tensor(values, at::kDouble).to(at::kFloat).unsqueeze(1);
    const at::Tensor angles = values_V1 * at::exp(exponents);
    return at::cat({at::cos(angles), at::sin(angles)}, 1);
}

at::Tensor enlarged(const vae::ImageConv& upsampler, const at::Tensor& x_FHWC, std::int64_t rows,
                    std::int64_t columns) {
    if (rows == 2 * x_FHWC.size(1) && columns == 2 * x_FHWC.size(2)) return upsampler.forwardDoubled(x_FHWC);
    const at::Tensor wide = at::upsample_nearest2d(x_FHWC.permute({0, 3, 1, 2}), {rows, columns});
    return upsampler.forward(wide.permute({0, 2, 3, 1}).contiguous());
}

}  // namespace reelgrid::models::unet
