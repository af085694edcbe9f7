#include "core/models/wan/pictures.h"

#include <utility>

#include "core/denoising/picture_frame.h"

namespace reelgrid::models::wan {

ClipPictures ClipPictures::read(const catalog::RenderSettings& settings) {
    const media::PictureSize size{settings.width, settings.height};
    const bool isStretched = settings.pictureFit == protocol::kStretchPicture;
    ClipPictures pictures;
    if (settings.imgFilePath) {
        media::RgbImage image = media::readImage(*settings.imgFilePath).value();
        pictures.first = settings.pictureFit == protocol::kKeepShape
                             ? media::resized(image, size, media::Filter::Bicubic)
                             : denoising::stretchedOrCut(image, settings);
        pictures.seenFirst = isStretched ? std::move(image) : pictures.first;
    }
    if (settings.lastImgFilePath) {
        media::RgbImage image = media::readImage(*settings.lastImgFilePath).value();
        pictures.last = denoising::stretchedOrCut(image, settings);
        pictures.seenLast = isStretched ? std::move(image) : pictures.last;
    }
    return pictures;
}

at::Tensor ClipEncoder::encode(const at::Tensor& frames_CTHW) const {
    const auto moments = m_tiling ? m_vae.encodeTiled(frames_CTHW, *m_tiling, m_progress, m_stop)
                                  : m_vae.encode(frames_CTHW, m_progress, m_stop);
    return m_vae.normalised(moments.mean_CTHW).unsqueeze(0);
}

at::Tensor ClipEncoder::givenFrames(const ClipPictures& pictures, std::int64_t frames) const {
    const at::Tensor first_CTHW = denoising::frameOf(*pictures.first);
    at::Tensor clip_CTHW = at::zeros({3, frames, first_CTHW.size(2), first_CTHW.size(3)}, at::kFloat);
    clip_CTHW.narrow(1, 0, 1).copy_(first_CTHW);
    if (pictures.last) clip_CTHW.narrow(1, frames - 1, 1).copy_(denoising::frameOf(*pictures.last));
    const at::Tensor latents_BCTHW = encode(clip_CTHW.to(m_device));

    // The first latent frame is one frame, which counts as often as the others have frames.
    const std::int64_t times = m_vae.shape().temporalFactor;
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
