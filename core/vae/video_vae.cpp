#include "core/vae/video_vae.h"

#include <utility>

#include "core/base/result.h"

namespace reelgrid::vae {

void refuseShape(const char* what, const at::Tensor& x, const std::string& needed) {
    throw Failure(ErrorCode::InvalidData,
                  std::string(what) + " has shape " + c10::str(x.sizes()) + ", needed " + needed);
}

LatentMoments momentsFrom(const at::Tensor& moments_THWC) {
    const auto halves = moments_THWC.permute({3, 0, 1, 2}).chunk(2, 0);
    return {halves[0].contiguous(), halves[1].clamp(-30.0, 20.0).contiguous()};
}

at::Tensor decodedClip(const VideoVae& vae, const at::Tensor& z_CTHW, std::int64_t frames,
                       std::stop_token stop) {
    at::Tensor clip_THWC;
    std::int64_t done = 0;
    vae.decodeTo(
        z_CTHW,
        [&](const at::Tensor& frames_THWC) {
            if (!clip_THWC.defined()) {
                auto shape = frames_THWC.sizes().vec();
                shape[0] = frames;
                clip_THWC = at::empty(shape, frames_THWC.options());
            }
            clip_THWC.narrow(0, done, frames_THWC.size(0)).copy_(frames_THWC);
            done += frames_THWC.size(0);
        },
        std::move(stop));
    return clip_THWC;
}

}  // namespace reelgrid::vae
