#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace reelgrid::vae::cogvideox {

/// How many go through the decoder and the encoder at a time.
inline constexpr std::int64_t kLatentFramesOfBatch = 2, kFramesOfBatch = 8;

struct FrameBatch {
    std::int64_t first = 0, count = 0;
};

/// How a clip's frames go through, as diffusers cuts them: `size` at a time, those that are left over with
/// the first ones. Norms see a batch at a time, so another cut makes another picture.
inline std::vector<FrameBatch> frameBatches(std::int64_t frames, std::int64_t size) {
    const std::int64_t batches = std::max<std::int64_t>(frames / size, 1);
    std::vector<FrameBatch> cut;
    for (std::int64_t first = 0; first < frames; first += cut.back().count)
        cut.push_back({first, first == 0 ? frames - (batches - 1) * size : size});
    return cut;
}

}  // namespace reelgrid::vae::cogvideox
