// What a ring does between its parts. Bound by memory: each value is read and written once.

#include <cmath>
#include <type_traits>

#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr unsigned kThreads = 256;
constexpr int kValues = 8;  ///< that a thread has, of a row

template <class T>
__device__ void loadWide(const T* from, float (&values)[kValues]) {
    constexpr int kPack = kWide<T>;
#pragma unroll
    for (int first = 0; first < kValues; first += kPack) {
        const auto pack = Pack<T, kPack>::load(from + first);
#pragma unroll
        for (int k = 0; k < kPack; ++k) values[first + k] = toFloat(pack.values[k]);
    }
}

template <class T>
__device__ void storeWide(const float (&values)[kValues], T* to) {
    constexpr int kPack = kWide<T>;
#pragma unroll
    for (int first = 0; first < kValues; first += kPack) {
        float some[kPack];
#pragma unroll
        for (int k = 0; k < kPack; ++k) some[k] = values[first + k];
        packed<T>(some).store(to + first);
    }
}

template <class T>
__device__ const T* rowOf(const MergeAttention::Part& part, std::int64_t batch, std::int64_t head,
                          std::int64_t query) {
    return static_cast<const T*>(part.out) + batch * part.strides.batch + head * part.strides.head +
           query * part.strides.token;
}

/// From the difference alone, so that the weights sum to 1 however coarse fp32 is at the size of the LSEs.
template <class Before, class Added, class Out>
__global__ void __launch_bounds__(kThreads)
    mergeRows(const __grid_constant__ MergeAttention call, int threadsARow) {
    const std::int64_t thread = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
    const std::int64_t row = thread / threadsARow;  // batch, query, head: as the output lies
    if (row >= call.batch * call.queries * call.heads) return;
    const int column = static_cast<int>(thread % threadsARow) * kValues;
    const std::int64_t head = row % call.heads, query = row / call.heads % call.queries,
                       batch = row / call.heads / call.queries;
    const std::int64_t at = (batch * call.heads + head) * call.queries + query;
    const float before = call.before.lse[at], added = call.added.lse[at];
    const bool hasBefore = before != -INFINITY, hasAdded = added != -INFINITY;
    float values[kValues] = {}, others[kValues];
    float lse = before;
    if (hasBefore) loadWide(rowOf<Before>(call.before, batch, head, query) + column, values);
    if (hasAdded) {
        loadWide(rowOf<Added>(call.added, batch, head, query) + column, others);
        lse = added;
        const float difference = added - before;
        const float kept = hasBefore ? 1.0F / (1.0F + expf(difference)) : 0.0F;
        const float taken = hasBefore ? 1.0F / (1.0F + expf(-difference)) : 1.0F;
        if (hasBefore) lse = fmaxf(before, added) + log1pf(expf(-fabsf(difference)));
#pragma unroll
        for (int k = 0; k < kValues; ++k) values[k] = fmaf(taken, others[k], kept * values[k]);
    }
    storeWide(values, static_cast<Out*>(call.out) + row * call.headDim + column);
    if (column == 0) call.lse[at] = lse;
}

template <class Before, class Added, class Out>
void launchMerge(const MergeAttention& call, cudaStream_t stream) {
    const auto threadsARow = static_cast<int>(call.headDim / kValues);
    const std::int64_t threads = call.batch * call.queries * call.heads * threadsARow;
    mergeRows<Before, Added, Out>
        <<<rowBlocks((threads + kThreads - 1) / kThreads), kThreads, 0, stream>>>(call, threadsARow);
}

}  // namespace

void mergeAttention(const MergeAttention& call, void* stream) {
    const auto queue = static_cast<cudaStream_t>(stream);
    if (call.batch * call.queries * call.heads == 0) return;
    withType(call.type, [&]<class T>(T*) {
        if (call.isBeforeFp32)
            call.isOutFp32 ? launchMerge<float, T, float>(call, queue)
                           : launchMerge<float, T, T>(call, queue);
        else
            call.isOutFp32 ? launchMerge<T, T, float>(call, queue) : launchMerge<T, T, T>(call, queue);
    });
    checkLaunch("mergeAttention");
}

}  // namespace reelgrid::kernels::cuda::device
