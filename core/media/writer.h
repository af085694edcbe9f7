#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "core/media/containers.h"
#include "core/media/frame.h"

namespace reelgrid::media {

/// How a frame's pixels are given, rows from the top, without padding.
enum class FramePixels {
    Rgb24,  ///< red, green, blue
    Bgrx32  ///< blue, green, red and a byte that isn't looked at: QImage's RGB32 on little-endian machines
};

struct WriterOptions {
    int width = 0;
    int height = 0;
    Rational fps{16, 1};
    /// H.264 (BT.709, limited range, tagged), VP9, GIF with its own palette, or FFV1 (RGB, without loss)
    Container container = Container::Mp4;
    int threads = 0;  ///< 0: the encoder's choice
    FramePixels pixels = FramePixels::Rgb24;
    Fidelity fidelity = Fidelity::Usual;
};

/// Encodes RGB frames to a file that appears under its name only when finish() succeeds.
class Writer {
  public:
    static Result<std::unique_ptr<Writer>> create(const std::filesystem::path& path,
                                                  const WriterOptions& options);
    virtual ~Writer() = default;

    /// One frame: height·width·3 bytes, or ·4.
    virtual Result<void> write(std::span<const std::uint8_t> frame) = 0;
    virtual Result<void> finish() = 0;
};

/// Writes a whole clip.
Result<void> writeClip(const std::filesystem::path& path, const RgbVideo& video);

}  // namespace reelgrid::media
