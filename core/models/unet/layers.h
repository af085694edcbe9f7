#pragma once

// Shape legend: F frames, H rows, W columns, P = H·W pixels, C channels in, O channels out, E channels of the
// timestep's embedding, N tokens that are looked at (text, pictures), X their channels.

#include <ATen/ATen.h>

#include <optional>
#include <vector>

#include "core/attention/layer_context.h"
#include "core/models/layers/linear.h"
#include "core/models/layers/token_norm.h"
#include "core/vae/group_norm.h"
#include "core/vae/image_conv.h"
#include "core/vae/picture_memory.h"
#include "core/vae/point_conv.h"

namespace reelgrid::models::unet {

using models::gatedGelu;
using models::PendingSum;
using models::TokenNorm;
using vae::LayerSource;

/// x + conv2(silu(norm2(conv1(silu(norm1(x))) + time))) (ResnetBlock2D of diffusers).
class ResidualBlock {
  public:
    struct Sizes {
        std::int64_t in = 0, out = 0, timeChannels = 0, normGroups = 32;
        double normEps = 1e-5;
    };
    ResidualBlock(const LayerSource& source, const Sizes& sizes);

    /// x_FHWC [F, H, W, C] and silu of the timestep's embedding [1, E] → [F, H, W, O].
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_FHWC, const at::Tensor& time_1E) const;

    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_norm1.eachTensor(visit);
        m_conv1.eachTensor(visit);
        m_time_emb_proj.eachTensor(visit);
        m_norm2.eachTensor(visit);
        m_conv2.eachTensor(visit);
        if (m_conv_shortcut) m_conv_shortcut->eachTensor(visit);
    }

  private:
    vae::GroupNorm m_norm1;
    vae::ImageConv m_conv1;
    Linear m_time_emb_proj;
    vae::GroupNorm m_norm2;
    vae::ImageConv m_conv2;
    std::optional<vae::PointConv> m_conv_shortcut;
};

/// out(h · gelu(gate)), h and gate the halves of one product (FeedForward of diffusers with GEGLU). Of many
/// tokens it takes some of the first dimension's after others, so that the product stays within 256 MiB of
/// fp32.
struct GatedFeedForward {
    Linear proj, out;

    static constexpr std::int64_t kWider = 4;
    static constexpr std::int64_t kMostValues = std::int64_t{1} << 26;

    static GatedFeedForward load(const weights::WeightScope& scope, std::int64_t channels) {
        return {Linear::load(scope / "net" / 0 / "proj", channels, 2 * kWider * channels),
                Linear::load(scope / "net" / 2, kWider * channels, channels)};
    }
    /// [B, N, C] → the same.
    [[nodiscard]] at::Tensor operator()(const at::Tensor& x_BNC) const;
    /// Calls visit(tensor) for each, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        proj.eachTensor(visit);
        out.eachTensor(visit);
    }
};

/// The products of an attention whose queries, keys and values come of the same tokens.
struct SelfProducts {
    Linear to_qkv;  ///< [3C, C], the three below one another; no bias
    Linear to_out;

    static SelfProducts load(const weights::WeightScope& scope, std::int64_t channels);
    /// Calls visit(tensor) for each, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        to_qkv.eachTensor(visit);
        to_out.eachTensor(visit);
    }
};

/// What attention of tokens to each other and a GatedFeedForward take, on a residual path beside `beside`
/// tensors of x's size.
void noteTokenLayers(const vae::Activations& x, std::size_t beside, vae::PictureMemory& memory);
/// Those of an attention to other tokens.
struct CrossProducts {
    at::Tensor to_q_CC;
    at::Tensor to_kv_OX;  ///< keys' weight above values'
    Linear to_out;

    static CrossProducts load(const weights::WeightScope& scope, std::int64_t channels,
                              std::int64_t otherChannels);
    /// Calls visit(tensor) for each, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        visit(to_q_CC);
        visit(to_kv_OX);
        to_out.eachTensor(visit);
    }
};

/// What every pixel is answered where there is one token to look at, [1, 1, X]: its value, whatever is asked.
/// One query stands for all of them. → [1, 1, C].
at::Tensor answerOfOneToken(const CrossProducts& products, const at::Tensor& token_11X, std::int64_t heads,
                            int place, const attention::LayerContext& context);
/// Whether there is: of all frames.
inline bool isOneToken(const at::Tensor& tokens) {
    return tokens.size(0) == 1 && tokens.size(1) == 1;
}

/// [B, N, C] → [B, heads, N, D], a view.
at::Tensor headsOf(const at::Tensor& x_BNC, std::int64_t heads);

/// `context` for the layers of x, who don't see how its pixels lie.
attention::LayerContext contextOf(const at::Tensor& x_FHWC, attention::LayerContext context);

/// Attention of each pixel's values in all frames to each other: [F, P, C] → the same. The tokens stay where
/// they are: a pixel's are a view.
at::Tensor attendAlongTime(const SelfProducts& products, const at::Tensor& x_FPC, std::int64_t heads,
                           int place, const attention::LayerContext& context);

/// Attention of each frame's pixels to each other: [F, P, C] → the same.
at::Tensor attendSelf(const SelfProducts& products, const at::Tensor& x_FPC, std::int64_t heads, int place,
                      const attention::LayerContext& context);

/// Attention of each frame's pixels to tokens [1, N, X] of all frames or [F, N, X].
at::Tensor attendCross(const CrossProducts& products, const at::Tensor& x_FPC, const at::Tensor& tokens,
                       std::int64_t heads, int place, const attention::LayerContext& context);

/// Cosines, then sines of each value, [values, channels] fp32 on the CPU (Timesteps of diffusers with
/// flip_sin_to_cos and no shift).
at::Tensor timeWaves(const std::vector<double>& values, std::int64_t channels);

/// `upsampler` of x at `rows` × `columns`: twice x's, or one less where an odd size was rounded up on the way
/// down. [F, H, W, C] → [F, rows, columns, C].
at::Tensor enlarged(const vae::ImageConv& upsampler, const at::Tensor& x_FHWC, std::int64_t rows,
                    std::int64_t columns);

}  // namespace reelgrid::models::unet
