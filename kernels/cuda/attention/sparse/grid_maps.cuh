#pragma once

#include <memory>

#include "kernels/attention/method.h"
#include "kernels/attention/problem.h"
#include "kernels/cuda/attention/sparse/kept_blocks.cuh"

namespace reelgrid::kernels::cuda::device {

/// The map of a method that needs the grid, in memory of a device; the same for every head.
struct GridMapOnDevice {
    KeptBlocks kept;
    PlacesInOrder places;  ///< token n of the map's order is the clip's token order[n]
    int rows = 0, keyBlocks = 0;

    [[nodiscard]] bool reorders() const { return places.order != nullptr; }
};

/// Made when a grid, with these options, is met for the first time on the current device, and kept: the
/// latest ones of each device, so many that a call which is still queued has its own. The first time it waits
/// for the device, so it can't be within what a graph records. Throws std::runtime_error where there is no
/// memory.
std::shared_ptr<const GridMapOnDevice> gridMapOn(Method method, const AttentionProblem& problem);

}  // namespace reelgrid::kernels::cuda::device
