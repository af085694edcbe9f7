#pragma once

// Shape legend: N pictures, H rows, W columns, C channels in, O channels out.

#include <ATen/ATen.h>

#include <optional>

#include "core/execution/linear_product.h"
#include "core/vae/group_norm.h"
#include "core/vae/image_conv.h"
#include "core/vae/picture_memory.h"
#include "core/vae/point_conv.h"

namespace reelgrid::vae::image {

/// x + conv2(silu(norm2(conv1(silu(norm1(x)))))) (ResnetBlock2D of diffusers, without a timestep).
class ResidualBlock {
  public:
    ResidualBlock(const LayerSource& source, std::int64_t in, std::int64_t out, std::int64_t groups);

    /// [N, H, W, C] → [N, H, W, O].
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_NHWC) const;
    /// What it will take beside other layers; what it makes.
    Activations forwardBytes(const Activations& x, PictureMemory& memory) const {
        return memory.noteResidualBlock(x, m_out);
    }

  private:
    std::int64_t m_out;
    GroupNorm m_norm1;
    ImageConv m_conv1;
    GroupNorm m_norm2;
    ImageConv m_conv2;
    std::optional<PointConv> m_conv_shortcut;
};

/// Attention of all pixels of a picture to each other, one head, on a residual path (Attention of diffusers
/// as its autoencoders have it).
class AttentionBlock {
  public:
    AttentionBlock(const LayerSource& source, std::int64_t channels, std::int64_t groups);

    [[nodiscard]] at::Tensor forward(const at::Tensor& x_NHWC) const;
    void forwardBytes(const Activations& x, PictureMemory& memory) const;

  private:
    struct Affine {
        at::Tensor weight_OC, bias_O;
    };
    GroupNorm m_group_norm;
    Affine m_to_q, m_to_k, m_to_v, m_to_out;
};

/// The innermost size of encoder and decoder.
struct MidBlock {
    MidBlock(const LayerSource& source, std::int64_t channels, std::int64_t groups)
        : first(source / "resnets" / 0, channels, channels, groups),
          attention(source / "attentions" / 0, channels, groups),
          second(source / "resnets" / 1, channels, channels, groups) {}

    [[nodiscard]] at::Tensor forward(const at::Tensor& x_NHWC) const {
        return second.forward(attention.forward(first.forward(x_NHWC)));
    }
    Activations forwardBytes(const Activations& x, PictureMemory& memory) const {
        first.forwardBytes(x, memory);
        attention.forwardBytes(x, memory);
        return second.forwardBytes(x, memory);
    }

    ResidualBlock first;
    AttentionBlock attention;
    ResidualBlock second;
};

}  // namespace reelgrid::vae::image
