#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/media/clip.h"

namespace reelgrid::studio {

/// Opens the frames of a clip that were kept without loss; null where none were, InvalidData where they
/// aren't what the manifest says. Blocks.
Result<std::unique_ptr<media::Clip>> openKeptFrames(const std::filesystem::path& clip);

}  // namespace reelgrid::studio
