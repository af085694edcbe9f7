#include "core/models/svd/pictures.h"

#include "core/denoising/picture_frame.h"
#include "core/denoising/video_model.h"
#include "core/vision/antialiased_picture.h"

namespace reelgrid::models::svd {

at::Tensor ImageEncoder::encode(const media::RgbImage& image) const {
    const std::int64_t edge = encoder.config().imageSize;
    const at::Tensor pixels_13YX =
        processor.normalised((vision::antialiasedPicture(image, edge, edge) + 1) / 2);
    return encoder.forward(pixels_13YX).unsqueeze(1);
}

media::RgbImage atClipsSize(const media::RgbImage& image, const catalog::RenderSettings& settings) {
    const media::PictureSize size{settings.width, settings.height};
    return settings.pictureFit == protocol::kCropPicture
               ? denoising::cutTo(image, size)
               : media::resized(image, size, media::Filter::Lanczos);
}

at::Tensor pictureLatents(const media::RgbImage& image, const catalog::RenderSettings& settings,
                          const vae::svd::SvdVae& vae, at::Device device, denoising::LatentNoise& noise,
                          const denoising::StageClock& clock) {
    const at::Tensor frame_C1YX = denoising::frameOf(atClipsSize(image, settings)).to(device);
    const at::Tensor noisy_C1YX =
        frame_C1YX + noise.draw(frame_C1YX.sizes()) * settings.noiseAugStrength.value_or(0);
    const auto tiling = denoising::tilingFor(vae, settings);
    const auto moments = tiling ? vae.encodeTiled(noisy_C1YX, *tiling, {}, clock.stopToken())
                                : vae.encode(noisy_C1YX, {}, clock.stopToken());
    return moments.mean_CTHW.unsqueeze(0).expand({-1, -1, settings.numFrames, -1, -1}).contiguous();
}

}  // namespace reelgrid::models::svd
