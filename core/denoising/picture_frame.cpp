#include "core/denoising/picture_frame.h"

namespace reelgrid::denoising {

media::RgbImage cutTo(const media::RgbImage& image, media::PictureSize size) {
    const media::PictureSize covering = media::coveringSize(image.size(), size);
    return media::middleOf(media::resized(image, covering, media::Filter::Lanczos), size);
}

media::RgbImage stretchedOrCut(const media::RgbImage& image, const catalog::RenderSettings& settings) {
    const media::PictureSize size{settings.width, settings.height};
    return settings.pictureFit == protocol::kStretchPicture
               ? media::resized(image, size, media::Filter::Lanczos)
               : cutTo(image, size);
}

at::Tensor frameOf(const media::RgbImage& image) {
    const at::Tensor bytes_HWC = at::from_blob(const_cast<std::uint8_t*>(image.pixels.data()),
                                               {image.height, image.width, 3}, at::kByte);
    return (bytes_HWC.to(at::kFloat) / 255 * 2 - 1).permute({2, 0, 1}).unsqueeze(1).contiguous();
}

}  // namespace reelgrid::denoising
