#pragma once

// Whether rows are alike: the mean cosine of all their pairs, each with itself too, which is the squared
// length of the mean of their directions.

#include "kernels/cuda/attention/sla/sla_call.cuh"

namespace reelgrid::kernels::cuda::device {

/// A block of rows that a warp sums up; each thread has eight columns of every kRows-th row. For whole warps.
template <class Element, int kHeadDim>
struct RowDirections {
    static constexpr int kColumns = kHeadDim / 8, kRows = 32 / kColumns;

    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int column = lane % kColumns;
    float sums[8] = {}, directions[8] = {};

    /// kCount rows from `first` on, of which those from `end` on aren't there; `head` is the first row's
    /// begin. mean: what is subtracted from each, [kHeadDim] in shared memory, or null.
    template <int kCount>
    __device__ void add(const Element* head, std::int64_t stride, int first, int end, int headDim,
                        const float* mean) {
        static_assert(kCount % kRows == 0);
        const Element* rows = head + 8 * column;
        const bool inside = 8 * column < headDim;
        float centre[8] = {};
        if (mean != nullptr)
#pragma unroll
            for (int d = 0; d < 8; ++d) centre[d] = mean[8 * column + d];
#pragma unroll 4
        for (int i = 0; i < kCount / kRows; ++i) {
            const int row = first + i * kRows + lane / kColumns;
            const bool there = inside && row < end;
            float x[8];
            unpack<Element>(there ? __ldg(reinterpret_cast<const uint4*>(rows + row * stride)) : uint4{}, x);
            float squares = 0;
#pragma unroll
            for (int d = 0; d < 8; ++d) {
                sums[d] += x[d];
                x[d] = there ? x[d] - centre[d] : 0.0F;
                squares = fmaf(x[d], x[d], squares);
            }
#pragma unroll
            for (int distance = kColumns / 2; distance > 0; distance /= 2)
                squares += __shfl_xor_sync(0xffffffffU, squares, distance);
            const float inverse = squares == 0.0F ? 0.0F : 1.0F / sqrtf(squares);
#pragma unroll
            for (int d = 0; d < 8; ++d) directions[d] = fmaf(x[d], inverse, directions[d]);
        }
    }

    /// After all rows: each thread's columns have the sums of the whole block.
    __device__ void sumOverRows() {
#pragma unroll
        for (int distance = 16; distance >= kColumns; distance /= 2)
#pragma unroll
            for (int d = 0; d < 8; ++d) {
                sums[d] += __shfl_xor_sync(0xffffffffU, sums[d], distance);
                directions[d] += __shfl_xor_sync(0xffffffffU, directions[d], distance);
            }
    }

    /// After sumOverRows() of so many rows. A NaN among them: no.
    __device__ bool areAlike(int rows, float similarity) const {
        float squares = 0;
#pragma unroll
        for (int d = 0; d < 8; ++d) squares = fmaf(directions[d], directions[d], squares);
#pragma unroll
        for (int distance = kColumns / 2; distance > 0; distance /= 2)
            squares += __shfl_xor_sync(0xffffffffU, squares, distance);
        return squares > similarity * static_cast<float>(rows) * static_cast<float>(rows);
    }
};

}  // namespace reelgrid::kernels::cuda::device
