#include "app/studio/lossless_opener.h"

#include <algorithm>
#include <thread>

#include "core/comparison/compared_frames.h"
#include "core/media/clip_options.h"

namespace reelgrid::studio {

Result<std::unique_ptr<media::Clip>> openKeptFrames(const std::filesystem::path& clip) {
    const comparison::ComparedFrames source = comparison::comparedFrames(clip);
    if (!source.remark.empty()) return Error{ErrorCode::InvalidData, source.remark};
    if (!source.isLossless) return std::unique_ptr<media::Clip>();
    // Clips are decoded side by side.
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    return media::openClip(source.file, {.threads = int(std::clamp(cores / 4, 1U, 8U)), .cacheBytes = 0});
}

}  // namespace reelgrid::studio
