#pragma once

#include <string>

namespace reelgrid::cli {

/// What --version prints: version, commit, libtorch, FFmpeg, and whether what CUDA needs is here.
std::string versions();

}  // namespace reelgrid::cli
