#include <algorithm>

#include "core/media/clip.h"

namespace reelgrid::media {

int ClipInfo::frameAt(double seconds) const {
    // A clock that adds up 1/fps lands a rounding error before i/fps: that is still frame i.
    constexpr double kTolerance = 1e-7;
    const auto next = std::ranges::upper_bound(frameSeconds, seconds + kTolerance);
    return std::max(0, int(next - frameSeconds.begin()) - 1);
}

}  // namespace reelgrid::media
