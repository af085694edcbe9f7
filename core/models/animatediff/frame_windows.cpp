#include "core/models/animatediff/frame_windows.h"

#include <algorithm>

namespace reelgrid::models::animatediff {

std::vector<std::int64_t> FrameWindows::beginsIn(std::int64_t frames) const {
    std::vector<std::int64_t> begins;
    for (std::int64_t begin = 0; begin + length <= frames; begin += stride) begins.push_back(begin);
    if (begins.empty()) return {0};
    if (begins.back() + length < frames) begins.push_back(frames - length);
    return begins;
}

std::vector<double> FrameWindows::weightsOver(std::int64_t frames) const {
    std::vector<double> over;
    for (std::int64_t i = 0; i < frames; ++i)
        over.push_back(weights == Weights::Flat ? 1.0 : static_cast<double>(std::min(i + 1, frames - i)));
    return over;
}

}  // namespace reelgrid::models::animatediff
