#pragma once

#include <filesystem>

namespace reelgrid::cli {

/// Writes a clip of 64×48 pixels at 16 fps in which a bright square moves to the right; `shade` is the
/// background's.
void writeSmallClip(const std::filesystem::path& path, int frames, int shade);

}  // namespace reelgrid::cli
