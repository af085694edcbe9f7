#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/attention/launch_attention.cuh"
#include "kernels/cuda/attention/sla_kernel.cuh"
#include "kernels/cuda/attention/sla_keys.cuh"
#include "kernels/cuda/attention/sla_map.cuh"
#include "kernels/cuda/attention/sla_matrices.cuh"
#include "kernels/cuda/attention/tensor_map.cuh"
#include "kernels/cuda/attention/workspace_parts.h"

namespace reelgrid::kernels::cuda {
namespace {

/// What goes from one of sla's kernels to the next, in the call's workspace.
struct SlaParts {
    int headDim;  ///< padded
    int queryBlocks, keyBlocks, count, runs, runBlocks;
    float *blockMeans, *keySums, *featureRuns = nullptr, *featureSums = nullptr, *products = nullptr;
    __nv_bfloat16* matrices = nullptr;
    std::int32_t* chosen;
    std::int64_t bytes;

    explicit SlaParts(const AttentionProblem& p)
        : headDim(p.headDim <= 64 ? 64 : 128),
          queryBlocks(tilesOf(p.queries, kSparseQueries)),
          keyBlocks(tilesOf(p.keys, kSparseKeys)),
          count(std::clamp(static_cast<int>(p.sparseLinear.topkRatio * keyBlocks), 1, keyBlocks)) {
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
};

enum class Start { AfterPrevious, WithPrevious };

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
    config.numAttrs = start == Start::WithPrevious ? 1 : 0;
    (void)cudaLaunchKernelEx(&config, kernel, arguments...);
    checkLaunch(name);
}

template <class Element, int kHeadDim, Branch kBranch>
void passOverKeys(const AttentionProblem& p, const SlaParts& parts, cudaStream_t stream) {
    using Config = SlaKeysConfig<Element, kHeadDim, kBranch>;
    const SlaKeysCall call{.k = p.k,
                           .v = p.v,
                           .kStrides = p.kStrides,
                           .vStrides = p.vStrides,
                           .keys = static_cast<int>(p.keys),
                           .headDim = static_cast<int>(p.headDim),
                           .keyHeads = static_cast<int>(p.keyHeads),
                           .keyBlocks = parts.keyBlocks,
                           .runs = parts.runs,
                           .runBlocks = parts.runBlocks,
                           .blockMeans = parts.blockMeans,
                           .keySums = parts.keySums,
                           .featureSums = parts.featureRuns,
                           .products = parts.products};
    const dim3 grid(parts.runs, blocksOf(p.batch * p.keyHeads));
    launch("sla's pass over keys", Start::AfterPrevious, &slaKeys<Config>, grid, Config::kThreads,
           Config::kSharedBytes, stream, call);
    if constexpr (kBranch == Branch::Linear) {
        const SlaMatricesCall matrices{.headDim = call.headDim,
                                       .runs = parts.runs,
                                       .products = parts.products,
                                       .featureRuns = parts.featureRuns,
                                       .projection = p.sparseLinear.projection,
                                       .featureSums = parts.featureSums,
                                       .matrices = parts.matrices};
        const dim3 blocks(kHeadDim * kHeadDim / (4 * kSlaMatricesThreads), grid.y);
        launch("sla's matrices", Start::WithPrevious, &slaMatrices<kHeadDim>, blocks, kSlaMatricesThreads, 0,
               stream, matrices);
    }
}

template <class Element, int kHeadDim>
void chooseBlocks(const AttentionProblem& p, const SlaParts& parts, cudaStream_t stream) {
    using Config = SlaMapConfig<Element, kHeadDim>;
    const SlaMapCall call{.q = p.q,
                          .qStrides = p.qStrides,
                          .queries = static_cast<int>(p.queries),
                          .keys = static_cast<int>(p.keys),
                          .headDim = static_cast<int>(p.headDim),
                          .queryHeads = static_cast<int>(p.queryHeads),
                          .queryHeadsPerKeyHead = static_cast<int>(p.queryHeads / p.keyHeads),
                          .queryBlocks = parts.queryBlocks,
                          .keyBlocks = parts.keyBlocks,
                          .runs = parts.runs,
                          .count = parts.count,
                          .blockMeans = parts.blockMeans,
                          .keySums = parts.keySums,
                          .chosen = parts.chosen};
    const dim3 grid(tilesOf(parts.queryBlocks, Config::kQueryBlocks), blocksOf(p.batch * p.queryHeads));
    launch("sla's map", Start::WithPrevious, &slaMap<Config>, grid, Config::kThreads,
           Config::sharedBytes(parts.keyBlocks), stream, call);
}

template <class Element, int kHeadDim, Branch kBranch>
void attendSparsely(const AttentionProblem& p, const SlaParts& parts, cudaStream_t stream) {
    using Config = SlaConfig<Element, kHeadDim, kBranch>;
    const auto qMap =
        tensorMap(p.type, {p.q, p.headDim, p.queries, p.queryHeads, p.batch, p.qStrides}, Config::kQueries);
    const auto kMap =
        tensorMap(p.type, {p.k, p.headDim, p.keys, p.keyHeads, p.batch, p.kStrides}, kSparseKeys);
    const auto vMap =
        tensorMap(p.type, {p.v, p.headDim, p.keys, p.keyHeads, p.batch, p.vStrides}, kSparseKeys);
    const Strides matrixStrides{
        .batch = p.keyHeads * 2 * kHeadDim * kHeadDim, .head = 2 * kHeadDim * kHeadDim, .token = kHeadDim};
    const auto matrixMap =
        kBranch == Branch::None
            ? kMap
            : tensorMap(DataType::BFloat16,
                        {parts.matrices, kHeadDim, 2 * kHeadDim, p.keyHeads, p.batch, matrixStrides},
                        Config::kKeys);
    SlaCall call{.tiles = {.shape = shapeOf(p), .queryTiles = parts.queryBlocks, .tiles = 0},
                 .keyBlocks = parts.keyBlocks,
                 .count = parts.count,
                 .chosen = parts.chosen,
                 .featureSums = parts.featureSums,
                 .bias = p.sparseLinear.bias};
    call.tiles.tiles = static_cast<int>(blocksOf(call.tiles.queryTiles * p.queryHeads * p.batch));
    constexpr int kSharedBytes =
        Config::kStreams * sizeof(Fav3Shared<Config>) + 1024;  // to begin at a multiple of 1024
    const int blocks = std::min(tilesOf(call.tiles.tiles, Config::kStreams), processors());
    launch("sla", Start::WithPrevious, &slaKernel<Config>, dim3(blocks), Config::kThreads, kSharedBytes,
           stream, qMap, kMap, vMap, matrixMap, call);
}

}  // namespace

std::int64_t slaWorkspace(const AttentionProblem& problem) {
    return SlaParts(problem).bytes;
}

void sla(const AttentionProblem& problem) {
    const SlaParts parts(problem);
    const auto stream = static_cast<cudaStream_t>(problem.stream);
    withElementAndHeadDim(problem, [&]<class Element>(Element*, auto headDim) {
        const auto withBranch = [&](auto branch) {
            passOverKeys<Element, headDim, branch>(problem, parts, stream);
            chooseBlocks<Element, headDim>(problem, parts, stream);
            attendSparsely<Element, headDim, branch>(problem, parts, stream);
        };
        if (problem.sparseLinear.projection == nullptr)
            withBranch(std::integral_constant<Branch, Branch::None>());
        else
            withBranch(std::integral_constant<Branch, Branch::Linear>());
    });
}

}  // namespace reelgrid::kernels::cuda
