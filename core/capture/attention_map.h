#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/capture/captured_call.h"

namespace reelgrid::capture {

/// softmax(scale·q·kᵀ + bias) of one head, made small: means over blocks of neighbouring queries and keys.
struct AttentionMap {
    std::int64_t batch = 0, head = 0;
    std::int64_t queries = 0, keys = 0;
    std::int64_t rows = 0, columns = 0;      ///< blocks
    std::int64_t queriesPerBlock = 0;        ///< that were computed, spread evenly over each block
    std::vector<std::vector<double>> means;  ///< [rows][columns]: mean weight of one key; 1/keys is uniform
};

/// At most `blocks` blocks a side. `progressed` is told how many rows are done. BadUsage when the capture has
/// no such head.
Result<AttentionMap> attentionMapOf(const CapturedCall& call, std::int64_t batch, std::int64_t head,
                                    std::int64_t blocks,
                                    const std::function<void(int done, int total)>& progressed);

}  // namespace reelgrid::capture
