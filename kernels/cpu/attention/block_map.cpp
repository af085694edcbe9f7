#include "kernels/cpu/attention/block_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace reelgrid::kernels::cpu {

std::int64_t chosenBlocks(double ratio, std::int64_t keyBlocks) {
    const auto count = static_cast<std::int64_t>(ratio * static_cast<double>(keyBlocks));
    return std::clamp<std::int64_t>(count, 1, keyBlocks);
}

void chooseBlocks(const float* meanQuery, const float* meanKeys, std::int64_t keyBlocks, int dim,
                  std::int64_t count, float* scores, std::int32_t* order, std::int32_t* chosen) {
    for (std::int64_t block = 0; block < keyBlocks; ++block) {
        // Eight sums side by side: a compiler may not reorder one.
        std::array<float, 8> sums{};
        const float* key = meanKeys + block * dim;
        for (int d = 0; d < dim; d += 8)
            for (std::size_t i = 0; i < sums.size(); ++i)
                sums[i] += meanQuery[static_cast<std::size_t>(d) + i] * key[static_cast<std::size_t>(d) + i];
        const float score = std::accumulate(sums.begin(), sums.end(), 0.0F);
        scores[block] = std::isnan(score) ? std::numeric_limits<float>::infinity() : score;
    }
    std::iota(order, order + keyBlocks, 0);
    std::nth_element(order, order + count - 1, order + keyBlocks, [scores](std::int32_t a, std::int32_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });
    std::copy(order, order + count, chosen);
    std::sort(chosen, chosen + count);
}

}  // namespace reelgrid::kernels::cpu
