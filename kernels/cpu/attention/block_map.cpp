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

namespace {

/// Products of one mean query with all mean keys; a NaN becomes the largest.
void scoreBlocks(const float* meanQuery, const float* meanKeys, std::int64_t keyBlocks, int dim,
                 float* scores) {
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
}

}  // namespace

std::int64_t predictBlocks(const float* meanQuery, bool areQueriesAlike, const PredictedKeys& keys, int dim,
                           float scale, double cdf, float* scores, std::int32_t* order,
                           std::int32_t* chosen) {
    if (!areQueriesAlike) {
        std::iota(chosen, chosen + keys.blocks, 0);
        return keys.blocks;
    }
    scoreBlocks(meanQuery, keys.means, keys.blocks, dim, scores);
    // Blocks that aren't alike are kept whatever they score, and take no part in the sum.
    std::int64_t alike = 0, kept = 0;
    for (std::int64_t block = 0; block < keys.blocks; ++block)
        if (keys.likeness[block] > keys.similarity)
            order[alike++] = static_cast<std::int32_t>(block);
        else
            chosen[kept++] = static_cast<std::int32_t>(block);
    std::sort(order, order + alike, [scores](std::int32_t a, std::int32_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });
    const double most = alike > 0 ? double(scores[order[0]]) : 0;
    double total = 0, sum = 0;
    const auto weightOf = [&](std::int64_t i) {
        const double below = double(scores[order[i]]) - most;
        return std::isnan(below) ? 1.0
                                 : std::exp(below * double(scale));  // infinities: all alike the highest
    };
    for (std::int64_t i = 0; i < alike; ++i) total += weightOf(i);
    for (std::int64_t i = 0; i < alike; ++i) {
        sum += weightOf(i) / total;
        if (sum > cdf && i > 0) break;
        chosen[kept++] = order[i];
    }
    std::sort(chosen, chosen + kept);
    return kept;
}

void chooseBlocks(const float* meanQuery, const float* meanKeys, std::int64_t keyBlocks, int dim,
                  std::int64_t count, float* scores, std::int32_t* order, std::int32_t* chosen) {
    scoreBlocks(meanQuery, meanKeys, keyBlocks, dim, scores);
    std::iota(order, order + keyBlocks, 0);
    std::nth_element(order, order + count - 1, order + keyBlocks, [scores](std::int32_t a, std::int32_t b) {
        return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
    });
    std::copy(order, order + count, chosen);
    std::sort(chosen, chosen + count);
}

}  // namespace reelgrid::kernels::cpu
