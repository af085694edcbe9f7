#pragma once

#include "kernels/cuda/library.h"

namespace reelgrid::kernels::cuda::device {

/// What the kernels of int8 products are told: all extents fit in 32 bits.
struct Int8Extents {
    int rows, inputs, outputs;
    int blocks;  ///< of inputs
    int rowBlocks, outputBlocks;

    explicit Int8Extents(const Int8Product& call)
        : rows(static_cast<int>(call.rows)),
          inputs(static_cast<int>(call.inputs)),
          outputs(static_cast<int>(call.outputs)),
          blocks(blocksOf(call.inputs)),
          rowBlocks(blocksOf(call.rows)),
          outputBlocks(blocksOf(call.outputs)) {}
    static int blocksOf(std::int64_t side) { return static_cast<int>((side + kInt8Block - 1) / kInt8Block); }
};

/// By wgmma (Hopper) or by mma.
void int8ProductOnHopper(const Int8Product& call, void* stream);
void int8ProductByMma(const Int8Product& call, void* stream);

}  // namespace reelgrid::kernels::cuda::device
