#include "core/models/cogvideox/pictures.h"

#include "core/denoising/picture_frame.h"
#include "core/denoising/video_model.h"

namespace reelgrid::models::cogvideox {

at::Tensor pictureLatents(const catalog::RenderSettings& settings, const vae::cogvideox::CogVideoXVae& vae,
                          std::int64_t latentFrames, at::Device device, denoising::LatentNoise& noise,
                          denoising::StageClock& clock) {
    clock.begin("image", 1);
    const media::RgbImage image = media::readImage(*settings.imgFilePath).value();
    // Where a picture's shape is kept the size has it already.
    const at::Tensor frame_CTHW = denoising::frameOf(denoising::stretchedOrCut(image, settings)).to(device);
    const auto tiling = denoising::tilingFor(vae, settings);
    const auto moments = tiling ? vae.encodeTiled(frame_CTHW, *tiling, {}, clock.stopToken())
                                : vae.encode(frame_CTHW, {}, clock.stopToken());
    const at::Tensor drawn = noise.draw(moments.mean_CTHW.unsqueeze(0).sizes())[0];
    const at::Tensor latents_CTHW = moments.mean_CTHW + (moments.logvar_CTHW * 0.5).exp() * drawn;
    // 1.5's image-to-video model was trained with latents that were divided.
    const double scale = vae.config().scalingFactor;
    const at::Tensor scaled = latents_CTHW * (vae.config().invertScaleLatents ? 1 / scale : scale);
    at::Tensor picture_BCTHW =
        at::zeros({1, scaled.size(0), latentFrames, scaled.size(2), scaled.size(3)}, scaled.options());
    picture_BCTHW[0].narrow(1, 0, 1).copy_(scaled);
    clock.advance(1);
    return picture_BCTHW;
}

}  // namespace reelgrid::models::cogvideox
