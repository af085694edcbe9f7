#pragma once

// Shape legend: B = 1 clip, C latent channels, T frames, H and W latent rows and columns.

#include "core/denoising/guided_model.h"
#include "core/models/svd/pictures.h"
#include "core/models/svd/unet.h"

namespace reelgrid::models::svd {

/// The UNet with a render's picture and motion. The unconditional pass is told zeros in the picture's place.
class PicturedUnet final : public denoising::GuidedModel {
  public:
    PicturedUnet(const VideoUnet& unet, const GivenPicture& picture, const Motion& motion);

    void beginStep(const at::Tensor& latents_BCTHW, double timestep) override;
    [[nodiscard]] std::vector<at::Tensor*> stepTensors() override { return {&m_latents_BCTHW, &m_time_1E}; }
    [[nodiscard]] at::Tensor forward(attention::GuidanceBranch branch,
                                     const attention::LayerContext& context) override;
    using GuidedModel::forward;

  private:
    const VideoUnet& m_unet;
    GivenPicture m_picture, m_nothing;
    Motion m_motion;
    at::Tensor m_latents_BCTHW, m_time_1E;
};

}  // namespace reelgrid::models::svd
