#pragma once

#include <optional>

#include "core/catalog/render_settings.h"
#include "core/denoising/rgb_frames.h"
#include "core/denoising/stage_clock.h"
#include "core/vae/tiling.h"

namespace reelgrid::denoising {

/// The stage "decode" of any family: the pictures of z_CTHW, latents as `decoder`, a VAE, takes them; whole,
/// frame by frame, or in tiles.
template <class Vae>
media::RgbVideo decodeClip(const Vae& decoder, const at::Tensor& z_CTHW,
                           const std::optional<vae::Tiling>& tiling, const catalog::RenderSettings& settings,
                           StageClock& clock) {
    media::RgbVideo video{
        .width = settings.width, .height = settings.height, .fps = frameRate(settings.fps), .pixels = {}};
    video.pixels.reserve(video.frameBytes() * static_cast<std::size_t>(settings.numFrames));
    clock.begin("decode", settings.numFrames);
    if (tiling) {
        // A frame is there once its last tile is: so many have been decoded, in equal parts of work.
        const auto report = [&](std::int64_t done, std::int64_t total) {
            clock.advance(static_cast<int>(done * settings.numFrames / total));
        };
        appendFrames(video, decoder.decodeTiled(z_CTHW, *tiling, report, clock.stopToken()));
    } else {
        const auto keep = [&](const at::Tensor& frames_THWC) {
            appendFrames(video, frames_THWC);
            clock.advance(video.frameCount());
        };
        decoder.decodeTo(z_CTHW, keep, clock.stopToken());
    }
    clock.end();
    return video;
}

}  // namespace reelgrid::denoising
