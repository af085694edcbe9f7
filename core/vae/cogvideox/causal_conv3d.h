#pragma once

#include <ATen/ATen.h>

#include <optional>

#include "core/vae/cogvideox/batch_memory.h"
#include "core/vae/cogvideox/conv_cache.h"
#include "core/vae/cogvideox/pixel_affine.h"
#include "core/vae/gpu_conv.h"
#include "core/vae/layer_source.h"
#include "core/vae/winograd_conv.h"

namespace reelgrid::vae::cogvideox {

/// Whether a layer's input is used after it: a consumed one's memory may be the output's.
enum class InputAfterwards { Kept, Consumed };

/// What a convolution does on its way through the data.
struct ConvFusion {
    const PixelAffine* normSilu = nullptr;          ///< the input goes through it first
    InputAfterwards input = InputAfterwards::Kept;  ///< consumed: may be written to
    /// Added to the output, when defined. The output may take its memory: not to be used afterwards.
    at::Tensor residual_THWO;
};

/// 3×3×3 convolution, zero-padded in space, causal in time: frame t sees t−2 … t, the frames before the batch
/// coming from the cache, and before the clip its first frame (CogVideoXCausalConv3d of diffusers).
class CausalConv3d {
  public:
    CausalConv3d(const LayerSource& source, std::int64_t in, std::int64_t out);

    /// [T, H, W, C], contiguous → [T, H, W, O]. Takes one slot of the cache.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, ConvCache& cache,
                                     const ConvFusion& fusion = {}) const;

    /// What forwardBytes() has to know of forward()'s input and fusion.
    struct Call {
        Activations x;
        std::int64_t xBytes = 0;  ///< in which x lies
        bool isNormed = false, isConsumed = false, hasResidual = false;
        MemoryWalk::Pieces beside{};  ///< what else lives
    };
    /// Adds up what forward() takes; in how many bytes the output lies, of no account where that is the
    /// residual's memory.
    std::int64_t forwardBytes(const Call& call, BatchMemory& memory) const;
    /// By itself: what comes out.
    Activations forwardBytes(const Activations& x, BatchMemory& memory) const;
    [[nodiscard]] std::int64_t outChannels() const { return m_bias_O.size(0); }

  private:
    [[nodiscard]] std::int64_t winogradBytes(const Call& call, BatchMemory& memory) const;
    [[nodiscard]] std::int64_t sliceBytes(const Call& call, BatchMemory& memory) const;
    [[nodiscard]] at::Tensor forwardInSlices(const at::Tensor& x_THWC, at::Tensor& slot,
                                             const ConvFusion& fusion) const;
    /// Of the output's shape.
    [[nodiscard]] static at::Tensor takenFor(at::IntArrayRef shape, const at::Tensor& x_THWC,
                                             const ConvFusion& fusion);
    /// What cuDNN or libtorch makes of frames and the two before them.
    [[nodiscard]] at::Tensor convolved(const at::Tensor& all_THWC, const at::Tensor& residual_THWO) const;

    std::optional<GpuConv> m_gpu;
    std::optional<WinogradConv> m_winograd;  ///< where there is neither, libtorch with the two below
    at::Tensor m_weight_OCTHW, m_bias_O;
};

}  // namespace reelgrid::vae::cogvideox
