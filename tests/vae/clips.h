#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "core/vae/video_vae.h"

namespace reelgrid::vae {

/// Every clip of z_BCTHW decoded by itself: [B, 3, T, H, W].
inline at::Tensor decodeClips(const VideoVae& vae, const at::Tensor& z_BCTHW) {
    std::vector<at::Tensor> clips;
    for (const at::Tensor& z_CTHW : z_BCTHW.unbind()) {
        std::vector<at::Tensor> parts;
        vae.decodeTo(z_CTHW, [&](const at::Tensor& frames_THWC) { parts.push_back(frames_THWC.clone()); });
        clips.push_back(at::cat(parts, 0).permute({3, 0, 1, 2}));
    }
    return at::stack(clips);
}

struct MomentsOfClips {
    at::Tensor mean_BCTHW, logvar_BCTHW;
};

/// Every clip of x_BCTHW encoded by itself, in tiles where there is a tiling.
inline MomentsOfClips encodeClips(const VideoVae& vae, const at::Tensor& x_BCTHW,
                                  const std::optional<Tiling>& tiling = {}) {
    std::vector<at::Tensor> means, logvars;
    for (const at::Tensor& x_CTHW : x_BCTHW.unbind()) {
        const LatentMoments moments = tiling ? vae.encodeTiled(x_CTHW, *tiling) : vae.encode(x_CTHW);
        means.push_back(moments.mean_CTHW);
        logvars.push_back(moments.logvar_CTHW);
    }
    return {at::stack(means), at::stack(logvars)};
}

}  // namespace reelgrid::vae
