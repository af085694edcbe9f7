#pragma once

// What the copy engine is told of a [B, H, N, D] tensor, and of a matrix.

#include <cuda.h>
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "kernels/attention/problem.h"

namespace reelgrid::kernels::cuda::device {

struct MappedTensor {
    const void* data;
    std::int64_t headDim, tokens, heads, batch;
    Strides strides;
};

/// Boxes of rows of 128 bytes, swizzled; what lies outside the tensor reads as zero. `strides`: bytes, of all
/// extents but the first.
template <int kRank>
CUtensorMap swizzledMap(CUtensorMapDataType type, const void* data, const cuuint64_t (&extents)[kRank],
                        const cuuint64_t (&strides)[kRank - 1], const cuuint32_t (&box)[kRank]) {
    static const auto encode = [] {
        void* found = nullptr;
        cudaDriverEntryPointQueryResult result{};
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
        if (result != cudaDriverEntryPointSuccess || found == nullptr)
            throw std::runtime_error("the driver has no cuTensorMapEncodeTiled");
        return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
    }();
    cuuint32_t every[kRank];
    for (cuuint32_t& step : every) step = 1;
    CUtensorMap map;
    const CUresult error = encode(&map, type, kRank, const_cast<void*>(data), extents, strides, box, every,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (error != CUDA_SUCCESS)
        throw std::runtime_error("cuTensorMapEncodeTiled refuses a tensor with error " +
                                 std::to_string(error));
    return map;
}

inline CUtensorMapDataType halfType(DataType type) {
    return type == DataType::Float16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
}

/// Boxes of 64 columns by `rows` tokens.
inline CUtensorMap tensorMap(DataType type, const MappedTensor& x, int rows) {
    const cuuint64_t extents[4] = {static_cast<cuuint64_t>(x.headDim), static_cast<cuuint64_t>(x.tokens),
                                   static_cast<cuuint64_t>(x.heads), static_cast<cuuint64_t>(x.batch)};
    // The stride of an extent of 1 is never used and may be anything.
    const auto bytes = [](std::int64_t extent, std::int64_t stride) {
        return static_cast<cuuint64_t>(extent == 1 ? 16 : 2 * stride);
    };
    const cuuint64_t strides[3] = {bytes(x.tokens, x.strides.token), bytes(x.heads, x.strides.head),
                                   bytes(x.batch, x.strides.batch)};
    return swizzledMap<4>(halfType(type), x.data, extents, strides,
                          {64, static_cast<cuuint32_t>(rows), 1, 1});
}

}  // namespace reelgrid::kernels::cuda::device
