#pragma once

#include <ATen/ATen.h>

#include <optional>

#include "core/vae/gpu_conv.h"
#include "core/vae/layer_source.h"
#include "core/vae/wan21/chunk_memory.h"
#include "core/vae/wan21/feature_cache.h"
#include "core/vae/wan21/rms_norm.h"
#include "core/vae/winograd_conv.h"

namespace reelgrid::vae::wan21 {

/// What a 3×3×3 convolution does on its way through the data.
struct ConvFusion {
    const RmsNorm* normSilu = nullptr;  ///< the input first goes through silu(norm(x))
    /// Added to the output, when defined. The output may take its memory: not to be used afterwards.
    at::Tensor residual_THWO;
};

/// 3×3×3 convolution, zero-padded in space, causal in time: frame t sees t−2 … t, the frames before the chunk
/// coming from the cache (WanCausalConv3d of diffusers with its feature cache).
class CausalConv3d {
  public:
    CausalConv3d(const LayerSource& source, std::int64_t in, std::int64_t out);

    /// [T, H, W, C] → [T, H, W, O]. Takes one slot of the cache.
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_THWC, FeatureCache& cache,
                                     const ConvFusion& fusion = {}) const;
    /// Adds up what forward() takes of x; what comes out.
    Activations forwardBytes(const Activations& x, ChunkMemory& memory) const;
    /// What it takes at once, its input included; its output, too, where that is new.
    enum class Output { New, OfResidual };
    [[nodiscard]] MemoryWalk::Pieces pieces(const Activations& x, Output output,
                                            const ChunkMemory& memory) const;
    [[nodiscard]] std::int64_t outChannels() const { return m_bias_O.size(0); }

  private:
    [[nodiscard]] at::Tensor forwardOnGpu(const at::Tensor& x_THWC, at::Tensor& slot,
                                          const ConvFusion& fusion) const;
    [[nodiscard]] at::Tensor forwardLibtorch(const at::Tensor& x_THWC, at::Tensor& slot,
                                             const ConvFusion& fusion) const;

    std::optional<GpuConv> m_gpu;
    std::optional<WinogradConv> m_winograd;  ///< where there is neither, the three below
    // The time taps are concatenated along the channels, so that a fast 2-D convolution does the work.
    at::Tensor m_weight_O3CHW;  ///< channels-last
    at::Tensor m_lastTap_OCHW;  ///< of a lone first frame: the taps before it would see zeros
    at::Tensor m_bias_O;
};

}  // namespace reelgrid::vae::wan21
