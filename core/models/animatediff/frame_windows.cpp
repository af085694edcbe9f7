#include "core/models/animatediff/frame_windows.h"

#include <algorithm>

namespace reelgrid::models::animatediff {

std::vector<std::int64_t> FrameWindows::beginsIn(std::int64_t frames) const {
    std::vector<std::int64_t> begins;
    if (end == End::Joined) {
        for (std::int64_t begin = 0; begin < frames; begin += stride) begins.push_back(begin);
        return begins;
    }
    for (std::int64_t begin = 0; begin + length <= frames; begin += stride) begins.push_back(begin);
    if (begins.empty()) return {0};
    if (begins.back() + length < frames) begins.push_back(frames - length);
    return begins;
}

std::int64_t FrameWindows::countedOf(std::int64_t begin, std::int64_t frames) const {
    const std::int64_t whole = std::min(length, frames);
    return end == End::Joined || begin % stride == 0 ? whole : begin % stride;
}

at::Tensor FrameWindows::weightsOver(std::int64_t frames, const at::TensorOptions& options) const {
    if (weights == Weights::Flat) return at::ones({frames}, options);
    return at::minimum(at::arange(1, frames + 1, options), at::arange(frames, 0, -1, options));
}

}  // namespace reelgrid::models::animatediff
