#include "core/models/wan/pictures.h"

#include "core/media/resample.h"

namespace reelgrid::models::wan {
namespace {

using media::Filter;
using media::RgbImage;

/// Scaled until it covers that size, its middle kept.
RgbImage cut(const RgbImage& image, media::PictureSize size) {
    return media::middleOf(media::resized(image, media::coveringSize(image.size(), size), Filter::Lanczos),
                           size);
}

}  // namespace

ClipPictures ClipPictures::read(const catalog::RenderSettings& settings) {
    const media::PictureSize size{settings.width, settings.height};
    ClipPictures pictures;
    if (settings.imgFilePath) {
        const RgbImage image = media::readImage(*settings.imgFilePath).value();
        pictures.first = settings.forceOutputSize ? cut(image, size) : resized(image, size, Filter::Bicubic);
    }
    if (settings.lastImgFilePath)
        pictures.last = cut(media::readImage(*settings.lastImgFilePath).value(), size);
    return pictures;
}

at::Tensor frameOf(const RgbImage& image) {
    const at::Tensor bytes = at::from_blob(const_cast<std::uint8_t*>(image.pixels.data()),
                                           {image.height, image.width, 3}, at::kByte);
    return (bytes.to(at::kFloat) / 255 * 2 - 1).permute({2, 0, 1}).unsqueeze(0).unsqueeze(2).contiguous();
}

at::Tensor ClipEncoder::encode(const at::Tensor& frames_BCTHW) const {
    const auto moments = m_tiling ? m_vae.encodeTiled(frames_BCTHW, *m_tiling, m_progress, m_stop)
                                  : m_vae.encode(frames_BCTHW, m_progress, m_stop);
    return m_vae.normalised(moments.mean_BCTHW);
}

at::Tensor ClipEncoder::givenFrames(const ClipPictures& pictures, std::int64_t frames) const {
    const at::Tensor first = frameOf(*pictures.first);
    at::Tensor clip = at::zeros({1, 3, frames, first.size(3), first.size(4)}, at::kFloat);
    clip.narrow(2, 0, 1).copy_(first);
    if (pictures.last) clip.narrow(2, frames - 1, 1).copy_(frameOf(*pictures.last));
    const at::Tensor latents_BCTHW = encode(clip.to(m_device));

    // The first latent frame is one frame, which counts as often as the others have frames.
    const std::int64_t times = m_vae.config().temporalFactor();
    at::Tensor given_T = at::zeros({latents_BCTHW.size(2), times}, at::kFloat);
    given_T[0].fill_(1);
    if (pictures.last) given_T[-1][times - 1] = 1;
    const at::Tensor mask_BCTHW =
        given_T.t()
            .view({1, times, -1, 1, 1})
            .expand({1, times, latents_BCTHW.size(2), latents_BCTHW.size(3), latents_BCTHW.size(4)})
            .to(m_device);
    return at::cat({mask_BCTHW, latents_BCTHW}, 1);
}

}  // namespace reelgrid::models::wan
