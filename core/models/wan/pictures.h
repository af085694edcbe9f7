#pragma once

// Shape legend: B = 1 clip, C channels, T frames, H rows, W columns, of latents where nothing else is said.

#include <ATen/ATen.h>

#include <optional>
#include <stop_token>
#include <utility>

#include "core/catalog/render_settings.h"
#include "core/media/image.h"
#include "core/vae/video_vae.h"

namespace reelgrid::models::wan {

/// The pictures of a request, at the clip's size.
struct ClipPictures {
    std::optional<media::RgbImage> first, last;
    /// As the image encoder sees them: stretched ones as their files have them, as in diffusers, where only
    /// the VAE gets the stretched.
    std::optional<media::RgbImage> seenFirst, seenLast;

    /// Reads them. The settings' size is the first one's shape, unless it is to be cut or stretched
    /// (--picture-fit); the last one is cut where its shape is another and not to be stretched. Throws
    /// Failure naming the file.
    static ClipPictures read(const catalog::RenderSettings& settings);
};

/// Encodes a clip whole or in tiles: the mode of the posterior, normalised, [1, C, T, H, W].
class ClipEncoder {
  public:
    ClipEncoder(const vae::VideoVae& vae, std::optional<vae::Tiling> tiling, at::Device device,
                vae::FrameProgress progress = {}, std::stop_token stop = {})
        : m_vae(vae),
          m_tiling(tiling),
          m_device(device),
          m_progress(std::move(progress)),
          m_stop(std::move(stop)) {}

    [[nodiscard]] at::Tensor encode(const at::Tensor& frames_CTHW) const;

    /// What image-to-video models see beside the latents, as channels: for each frame of a latent frame
    /// whether it is given, then the latents of a clip that is grey but for the given frames.
    [[nodiscard]] at::Tensor givenFrames(const ClipPictures& pictures, std::int64_t frames) const;

  private:
    const vae::VideoVae& m_vae;
    std::optional<vae::Tiling> m_tiling;
    at::Device m_device;
    vae::FrameProgress m_progress;
    std::stop_token m_stop;
};

}  // namespace reelgrid::models::wan
