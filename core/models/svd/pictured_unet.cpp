#include "core/models/svd/pictured_unet.h"

namespace reelgrid::models::svd {

PicturedUnet::PicturedUnet(const VideoUnet& unet, const GivenPicture& picture, const Motion& motion)
    : m_unet(unet),
      m_picture(picture),
      m_nothing{at::zeros_like(picture.seen_1NX), at::zeros_like(picture.latents_BCTHW)},
      m_motion(motion) {}

void PicturedUnet::beginStep(const at::Tensor& latents_BCTHW, double timestep) {
    m_latents_BCTHW = latents_BCTHW;
    m_time_1E = m_unet.embedTime(timestep, m_motion);
}

at::Tensor PicturedUnet::forward(attention::GuidanceBranch branch, const attention::LayerContext& context) {
    const GivenPicture& told = branch == attention::GuidanceBranch::Conditional ? m_picture : m_nothing;
    return m_unet
        .forward(at::cat({m_latents_BCTHW, told.latents_BCTHW}, 1), m_time_1E, told.seen_1NX, context)
        .to(at::kFloat);
}

}  // namespace reelgrid::models::svd
