#include "core/models/svd/video_residual.h"

namespace reelgrid::models::svd {

VideoResidual::VideoResidual(const vae::LayerSource& source, const unet::ResidualBlock::Sizes& sizes)
    : m_spatial_res_block(source / "spatial_res_block", sizes),
      m_time_emb_proj(Linear::load(source.weights / "temporal_res_block" / "time_emb_proj",
                                   sizes.timeChannels, sizes.out)),
      m_temporal_res_block(
          source / "temporal_res_block", sizes.out, sizes.normEps,
          vae::TimeShare::load(source.weights / "time_mixer", vae::TimeShare::Of::StillFrames)) {}

at::Tensor VideoResidual::forward(const at::Tensor& x_FHWC, const at::Tensor& time_1E) const {
    return m_temporal_res_block.forward(m_spatial_res_block.forward(x_FHWC, time_1E),
                                        m_time_emb_proj(time_1E));
}

}  // namespace reelgrid::models::svd
