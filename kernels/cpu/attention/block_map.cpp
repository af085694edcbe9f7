#include "kernels/cpu/attention/block_map.h"

#include <algorithm>
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
    std::fill_n(scores, keyBlocks, 0.0F);
    for (int d = 0; d < dim; d += 4) {
        const float* query = meanQuery + d;
        const float* keys = meanKeys + d * keyBlocks;
        for (std::int64_t block = 0; block < keyBlocks; ++block)
            scores[block] = scores[block] + query[0] * keys[block] + query[1] * keys[block + keyBlocks] +
                            query[2] * keys[block + 2 * keyBlocks] + query[3] * keys[block + 3 * keyBlocks];
    }
    for (std::int64_t block = 0; block < keyBlocks; ++block)
        if (std::isnan(scores[block])) scores[block] = std::numeric_limits<float>::infinity();
    std::iota(order, order + keyBlocks, 0);
    std::nth_element(order, order + count - 1, order + keyBlocks, [scores](std::int32_t a, std::int32_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });
    std::copy(order, order + count, chosen);
    std::sort(chosen, chosen + count);
}

}  // namespace reelgrid::kernels::cpu
