#pragma once

// What sla prepares for either of its kernels: the blocks that each block of queries attends to, and the
// linear branch's matrices, in the call's workspace.

#include <algorithm>

#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/attention/launch_attention.cuh"
#include "kernels/cuda/attention/sla/sla_call.cuh"
#include "kernels/cuda/attention/workspace_parts.h"

namespace reelgrid::kernels::cuda::device {

struct SlaMapCall;

/// What goes from one of sla's kernels to the next, in the call's workspace.
struct SlaParts {
    int headDim;                      ///< padded
    SparseBlocks blocks;              ///< that a map is made of: of keys a multiple of kSparseKeys
    int queryBlocks, choices, count;  ///< blocks of queries; of keys, and how many of those are chosen
    int keyBlocks, runs, runBlocks;   ///< of kSparseKeys keys each
    float *blockMeans, *keySums, *featureRuns = nullptr, *featureSums = nullptr, *products = nullptr;
    __nv_bfloat16* matrices = nullptr;
    std::int32_t* chosen;
    std::int64_t bytes;

    explicit SlaParts(const AttentionProblem& p, SparseBlocks mapped = {kSparseQueries, kSparseKeys})
        : headDim(p.headDim <= 64 ? 64 : 128),
          blocks(mapped),
          queryBlocks(tilesOf(p.queries, blocks.queries)),
          choices(tilesOf(p.keys, blocks.keys)),
          count(std::clamp(static_cast<int>(p.sparseLinear.topkRatio * choices), 1, choices)),
          keyBlocks(tilesOf(p.keys, kSparseKeys)) {
        WorkspaceParts parts(p.workspace);
        const std::int64_t heads = p.batch * p.keyHeads, dim = headDim;
        // Two runs for every multiprocessor, but no more: each writes D² sums.
        runs = static_cast<int>(std::clamp<std::int64_t>(2 * processors() / heads, 1, keyBlocks));
        runBlocks = tilesOf(keyBlocks, runs);
        blockMeans = parts.take<float>(heads * keyBlocks * dim);
        keySums = parts.take<float>(heads * runs * dim);
        chosen = parts.take<std::int32_t>(p.batch * p.queryHeads * queryBlocks * count);
        if (p.sparseLinear.projection != nullptr) {
            featureRuns = parts.take<float>(heads * runs * dim);
            featureSums = parts.take<float>(heads * dim);
            products = parts.take<float>(heads * runs * dim * dim);
            matrices = parts.take<__nv_bfloat16>(heads * 2 * dim * dim);
        }
        bytes = parts.bytes();
    }

    /// What the map chose, of every tile of queries as many.
    [[nodiscard]] KeptBlocks kept() const {
        return {.blocks = chosen, .counts = nullptr, .pitch = count, .rows = 0};
    }
};

/// Queues all of that.
void prepareSla(const AttentionProblem& problem, const SlaParts& parts);
/// Of that the pass over keys: their sums and, for a linear branch, its matrices.
void sumKeys(const AttentionProblem& problem, const SlaParts& parts);
/// What a kernel that makes a map is told.
SlaMapCall slaMapCall(const AttentionProblem& problem, const SlaParts& parts);

enum class Start { AfterPrevious, WithPrevious };

/// Whether the GPU starts a kernel before the one before it is through: since Hopper.
inline bool startsEarly() {
    int device = 0, major = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    return major >= 9;
}

/// `WithPrevious`: as soon as the stream's kernel before, one of sla's, lets it (afterPrevious()).
template <class... Parameters, class... Arguments>
void launch(const char* name, Start start, void (*kernel)(Parameters...), dim3 grid, int threads,
            int sharedBytes, cudaStream_t stream, const Arguments&... arguments) {
    allowShared(kernel, sharedBytes);
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(sharedBytes);
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = start == Start::WithPrevious && startsEarly() ? 1 : 0;
    (void)cudaLaunchKernelEx(&config, kernel, arguments...);
    checkLaunch(name);
}

/// Calls `with` with whether there is a linear branch.
template <class Function>
void withBranch(const AttentionProblem& problem, Function&& with) {
    if (problem.sparseLinear.projection == nullptr)
        with(std::integral_constant<Branch, Branch::None>());
    else
        with(std::integral_constant<Branch, Branch::Linear>());
}

}  // namespace reelgrid::kernels::cuda::device
