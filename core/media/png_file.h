#pragma once

#include <filesystem>

#include "core/base/result.h"

struct AVFrame;

namespace reelgrid::media {

struct RgbImage;

/// Writes a picture as a PNG file: beside, then renamed. Unsupported where this FFmpeg has no encoder of PNG,
/// Io.
Result<void> writePng(const RgbImage& image, const std::filesystem::path& path);
/// The same of a frame of RGB24.
Result<void> writePng(const AVFrame& rgb, const std::filesystem::path& path);

}  // namespace reelgrid::media
