#pragma once

// Q, K and V with their tokens in another order, each head's rows side by side.

#include "kernels/cuda/attention/sla/sla_call.cuh"

namespace reelgrid::kernels::cuda::device {

struct GatheredTensor {
    const void* from;
    Strides strides;
    int heads;  ///< of a batch
    void* to;   ///< [batch][heads][tokens][head dim]
};

struct GatherCall {
    GatheredTensor tensors[3];
    const std::int32_t* order;  ///< [tokens]: which token comes there
    int batch, tokens;
    int rowPieces;  ///< of 16 bytes
};

constexpr int kGatherThreads = 256;

/// A thread moves 16 bytes; blocks go over the tokens of a head, all heads (those of queries are the most)
/// and the three tensors.
static __global__ void __launch_bounds__(kGatherThreads) gatherRows(const __grid_constant__ GatherCall call) {
    afterPrevious();
    const std::int64_t piece = std::int64_t{blockIdx.x} * kGatherThreads + threadIdx.x;
    const int token = static_cast<int>(piece / call.rowPieces);
    if (token >= call.tokens) return;
    const GatheredTensor& x = call.tensors[blockIdx.z];
    const int head = static_cast<int>(blockIdx.y);
    if (head >= call.batch * x.heads) return;
    const auto* from = static_cast<const __nv_bfloat16*>(x.from) + head / x.heads * x.strides.batch +
                       head % x.heads * x.strides.head + __ldg(call.order + token) * x.strides.token;
    auto* to = static_cast<uint4*>(x.to) + std::int64_t{head} * call.tokens * call.rowPieces;
    to[piece] = __ldg(reinterpret_cast<const uint4*>(from) + piece % call.rowPieces);
}

}  // namespace reelgrid::kernels::cuda::device
