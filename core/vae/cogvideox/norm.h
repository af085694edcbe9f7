#pragma once

#include <ATen/ATen.h>

#include <optional>

#include "core/vae/cogvideox/batch_memory.h"
#include "core/vae/cogvideox/pixel_affine.h"
#include "core/vae/layer_source.h"
#include "core/vae/point_conv.h"

namespace reelgrid::vae::cogvideox {

/// A group norm over all pixels and frames of a batch, by itself in the encoder; in the decoder what comes
/// out is scaled and shifted by 1×1×1 convolutions of the latents (CogVideoXSpatialNorm3D of diffusers,
/// arXiv:2209.09002). These see one latent pixel at a time, so they run before the latents are spread over
/// the frames. Moments and factors are fp32 whatever the dtype.
class Norm {
  public:
    enum class Of { Frames, FramesOverLatents };

    struct Shape {
        std::int64_t channels = 0, groups = 0;
        double eps = 1e-6;
        std::int64_t zDim = 0;  ///< of the latents
    };
    Norm(const LayerSource& source, Of of, const Shape& shape);

    /// The norm of x_THWC (contiguous); z_THWC are the batch's latents, of which an encoder has none.
    [[nodiscard]] PixelAffine over(const at::Tensor& x_THWC, const at::Tensor& z_THWC) const;
    /// Adds up what over() takes of x beside so many bytes; the size of what comes out.
    std::int64_t overBytes(const Activations& x, std::int64_t beside, BatchMemory& memory) const;

  private:
    struct LatentConvs {
        PointConv scale, shift;
    };
    Shape m_shape;
    at::Tensor m_weight_C, m_bias_C;
    std::optional<LatentConvs> m_latents;
};

}  // namespace reelgrid::vae::cogvideox
