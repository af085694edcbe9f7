#include "core/models/cogvideox/pictures.h"

#include "core/media/image.h"
#include "core/media/resample.h"

namespace reelgrid::models::cogvideox {
namespace {

/// The picture at the clip's size: the size has its shape already, or its middle is kept. [3, 1, rows,
/// columns] within [−1, 1].
at::Tensor frameOf(const catalog::RenderSettings& settings) {
    const media::PictureSize size{settings.width, settings.height};
    const media::RgbImage image = media::readImage(*settings.imgFilePath).value();
    const media::RgbImage covering =
        media::resized(image, media::coveringSize(image.size(), size), media::Filter::Lanczos);
    const media::RgbImage frame = media::middleOf(covering, size);
    const at::Tensor bytes = at::from_blob(const_cast<std::uint8_t*>(frame.pixels.data()),
                                           {frame.height, frame.width, 3}, at::kByte);
    return (bytes.to(at::kFloat) / 255 * 2 - 1).permute({2, 0, 1}).unsqueeze(1).contiguous();
}

}  // namespace

at::Tensor pictureLatents(const catalog::RenderSettings& settings, const vae::cogvideox::CogVideoXVae& vae,
                          const std::optional<vae::Tiling>& tiling, std::int64_t latentFrames,
                          at::Device device, denoising::LatentNoise& noise, denoising::StageClock& clock) {
    clock.begin("image", 1);
    const at::Tensor frame_CTHW = frameOf(settings).to(device);
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
