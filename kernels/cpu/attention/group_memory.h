#pragma once

#include <cstdint>

#include "kernels/cpu/attention/call_plan.h"

namespace reelgrid::kernels::cpu {

/// What one group of key heads is packed into: memory of the calling thread, which serves its next call too.
/// Null where the method or the problem has no use for it.
struct GroupMemory {
    explicit GroupMemory(const CallPlan& plan);
    ~GroupMemory();
    GroupMemory(const GroupMemory&) = delete;
    GroupMemory& operator=(const GroupMemory&) = delete;

    [[nodiscard]] float* scratchOf(int thread) const { return scratch + thread * m_scratchFloats; }

    std::uint32_t* keys;                ///< [heads][blocks][keyBlockUnits]
    std::uint32_t* values;              ///< [heads][blocks][valueBlockUnits]
    float* scratch;                     ///< of all threads
    float* keySums = nullptr;           ///< [heads][blocks][paddedDim]
    float* keyMeans = nullptr;          ///< [heads][paddedDim]
    float* valueMaxima = nullptr;       ///< [heads][blocks][paddedDim]
    float* valueScales = nullptr;       ///< [heads][paddedDim]
    float* queryScales = nullptr;       ///< [query heads][queryEntries]
    float* keyScales = nullptr;         ///< [heads][keyGrains]
    std::int32_t* dotStarts = nullptr;  ///< [heads][blocks · kBlockKeys]
    /// problem.keyBias in the units of Sᵀ, with zeros up to whole blocks: the same for every head.
    float* scoreBias = nullptr;

  private:
    std::int64_t m_scratchFloats;  ///< of each thread
};

}  // namespace reelgrid::kernels::cpu
