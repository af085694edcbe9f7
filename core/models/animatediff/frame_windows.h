#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace reelgrid::models::animatediff {

/// How temporal attention sees more frames than its motion modules have positions: in windows that overlap,
/// whose results are averaged by weights (FreeNoise, arXiv 2310.15169). Source: diffusers 0.40,
/// FreeNoiseTransformerBlock.
struct FrameWindows {
    /// Over a window: the same, or most in its middle.
    enum class Weights { Flat, Pyramid };
    /// What windows do at a clip's end: the last one ends with it, or they go on at its beginning.
    enum class End { Open, Joined };

    std::int64_t length = 16;
    std::int64_t stride = 4;  ///< frames from a window's begin to the next one's
    Weights weights = Weights::Pyramid;
    End end = End::Open;

    /// Where windows begin in a clip of so many frames. With an open end the last one ends with it, and a
    /// clip no longer than `length` is one window.
    [[nodiscard]] std::vector<std::int64_t> beginsIn(std::int64_t frames) const;
    /// How many of its frames, the last ones, a window counts for: all, but one that lies where it does to
    /// end with the clip for those alone that no other has.
    [[nodiscard]] std::int64_t countedOf(std::int64_t begin, std::int64_t frames) const;
    /// Of the frames of a window, [frames]; made on the device itself, as a recorded pass has to.
    [[nodiscard]] at::Tensor weightsOver(std::int64_t frames, const at::TensorOptions& options) const;
};

}  // namespace reelgrid::models::animatediff
