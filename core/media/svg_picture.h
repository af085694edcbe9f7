#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"

namespace reelgrid::media {

/// Whether this FFmpeg draws SVG (librsvg is a choice of its build); Unsupported when it doesn't.
Result<void> requireSvgDecoder();

/// Draws a trusted SVG document at its own size and writes it as a PNG.
Result<void> writePngOfSvg(const std::string& svg, const std::filesystem::path& path);

}  // namespace reelgrid::media
