#pragma once

#include <cstdint>

namespace reelgrid::vae {

/// How many activations a layer has, for what is said of its memory before it runs.
struct Activations {
    std::int64_t frames = 0, rows = 0, columns = 0, channels = 0;

    [[nodiscard]] std::int64_t pixels() const { return frames * rows * columns; }
    [[nodiscard]] std::int64_t values() const { return pixels() * channels; }
    [[nodiscard]] Activations with(std::int64_t otherChannels) const {
        return {frames, rows, columns, otherChannels};
    }
    [[nodiscard]] Activations ofFrames(std::int64_t otherFrames) const {
        return {otherFrames, rows, columns, channels};
    }
};

}  // namespace reelgrid::vae
