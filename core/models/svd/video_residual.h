#pragma once

// Shape legend: F frames, H rows, W columns, C channels in, O channels out, E channels of the timestep's
// embedding.

#include <ATen/ATen.h>

#include "core/models/unet/layers.h"
#include "core/vae/temporal_residual.h"

namespace reelgrid::models::svd {

/// A residual layer of each frame, and one along time (SpatioTemporalResBlock of diffusers).
class VideoResidual {
  public:
    /// Both have the same norms and are told the same timestep.
    VideoResidual(const vae::LayerSource& source, const unet::ResidualBlock::Sizes& sizes);

    /// x_FHWC [F, H, W, C] and silu of the timestep's embedding [1, E] → [F, H, W, O].
    [[nodiscard]] at::Tensor forward(const at::Tensor& x_FHWC, const at::Tensor& time_1E) const;

    /// Calls visit(tensor) for each that a pass reads, defined or not.
    template <class Visit>
    void eachTensor(const Visit& visit) {
        m_spatial_res_block.eachTensor(visit);
        m_time_emb_proj.eachTensor(visit);
        m_temporal_res_block.eachTensor(visit);
    }

  private:
    unet::ResidualBlock m_spatial_res_block;
    Linear m_time_emb_proj;  ///< of the temporal one
    vae::TemporalResidual m_temporal_res_block;
};

}  // namespace reelgrid::models::svd
