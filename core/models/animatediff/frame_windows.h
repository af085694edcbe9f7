#pragma once

#include <cstdint>
#include <vector>

namespace reelgrid::models::animatediff {

/// How temporal attention sees more frames than its motion modules have positions: in windows that overlap,
/// whose results are averaged by weights (FreeNoise, arXiv 2310.15169). Source: diffusers 0.40,
/// FreeNoiseTransformerBlock.
struct FrameWindows {
    /// Over a window: the same, or most in its middle.
    enum class Weights { Flat, Pyramid };

    std::int64_t length = 16;
    std::int64_t stride = 4;  ///< frames from a window's begin to the next one's
    Weights weights = Weights::Pyramid;

    /// Where windows begin in a clip of so many frames, the last one ending with it; one window of all of
    /// them in a clip no longer than `length`.
    [[nodiscard]] std::vector<std::int64_t> beginsIn(std::int64_t frames) const;
    /// Of the frames of a window.
    [[nodiscard]] std::vector<double> weightsOver(std::int64_t frames) const;
};

}  // namespace reelgrid::models::animatediff
