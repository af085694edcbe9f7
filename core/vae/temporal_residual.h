#pragma once

// Shape legend: T frames, H rows, W columns, C channels.

#include <ATen/ATen.h>

#include "core/vae/frame_conv.h"
#include "core/vae/group_norm.h"
#include "core/vae/picture_memory.h"

namespace reelgrid::vae {

/// How much of a layer along time goes into a sum with what it was given: the learned number that a
/// checkpoint calls mix_factor.
struct TimeShare {
    /// What its sigmoid is the share of (AlphaBlender of diffusers): a UNet's the frames by themselves, an
    /// autoencoder's the layer along time.
    enum class Of { StillFrames, Time };

    /// Of the layer along time, from 0 to 1. `scope` is the layer's.
    static double load(const weights::WeightScope& scope, Of of);
};

/// x + share · conv2(silu(norm2(conv1(silu(norm1(x))) + time))): convolutions along time whose norms' groups
/// reach over all frames. What diffusers calls TemporalResnetBlock, and the blend with its input behind it.
class TemporalResidual {
  public:
    TemporalResidual(const LayerSource& source, std::int64_t channels, double normEps, double share);

    /// x_THWC [T, H, W, C], contiguous, whose memory the output takes; `time_1C`: the product of a timestep's
    /// embedding, undefined where there is none. → [T, H, W, C].
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, const at::Tensor& time_1C = {}) const;
    /// What it will take beside other layers and `held` bytes.
    static void forwardBytes(const Activations& x, std::int64_t held, PictureMemory& memory) {
        memory.noteTemporalResidual(x, held);
    }

    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_norm1.eachTensor(visit);
        m_conv1.eachTensor(visit);
        m_norm2.eachTensor(visit);
        m_conv2.eachTensor(visit);
    }

  private:
    GroupNorm m_norm1;
    FrameConv m_conv1;
    GroupNorm m_norm2;
    FrameConv m_conv2;
};

}  // namespace reelgrid::vae
