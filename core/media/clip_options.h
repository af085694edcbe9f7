#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/media/clip.h"

namespace reelgrid::media {

struct ClipOptions {
    /// Decoder threads, at most (decoder.cpp says which decoders have one). Few: a grid has many clips, and
    /// one of them is seldom the bottleneck.
    int threads = 2;
    /// Recent frames kept for stepping back. Nine 832x480 clips stay near 200 MB in all, and each of them has
    /// 40 frames to step back through before it must decode again.
    std::size_t cacheBytes = std::size_t{24} << 20;
    /// Whether pictures whose samples aren't square are stretched to their true shape, as they are to be
    /// seen. What measures takes the samples as they are coded: stretching mixes them.
    bool stretches = true;
};

/// Clip::open() with other limits than the usual.
Result<std::unique_ptr<Clip>> openClip(const std::filesystem::path& path, const ClipOptions& options);

}  // namespace reelgrid::media
