#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace reelgrid::protocol {

/// What a render's latents look like while it denoises: a guess at their colours, a pixel a latent.
struct RenderPreview {
    int step = 0;  ///< so many of `steps` are done
    int steps = 0;
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;  ///< [frames, height, width, 3], from the clip's first frame to its last

    [[nodiscard]] std::size_t frameBytes() const {
        return std::size_t(3) * std::size_t(width) * std::size_t(height);
    }
    [[nodiscard]] int frames() const { return frameBytes() == 0 ? 0 : int(rgb.size() / frameBytes()); }
    bool operator==(const RenderPreview&) const = default;
};
using PreviewCallback = std::function<void(const RenderPreview&)>;

/// The longest side of a preview: latents of 16384 pixels.
inline constexpr int kMaxPreviewSide = 2048;
/// The most bytes of a preview, so that its message is a short line.
inline constexpr std::size_t kMaxPreviewBytes = std::size_t{192} << 10;

}  // namespace reelgrid::protocol
