#include "kernels/attention/method_options.h"
#include "kernels/cuda/attention/sla/sla_parts.cuh"
#include "kernels/cuda/attention/sparse/attend_to_kept.cuh"
#include "kernels/cuda/attention/sparse/predicted_map.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

/// As sla's pass over keys takes it, without its linear branch and with room for every block.
AttentionProblem withoutBranch(AttentionProblem problem) {
    problem.sparseLinear = {.topkRatio = 1};
    return problem;
}

/// sla's parts of such a problem, and behind them sparge's own.
struct SpargeParts {
    SlaParts sla;
    std::uint8_t* alike;   ///< [batch][key heads][key blocks]
    std::int32_t* counts;  ///< [batch][query heads][query blocks]
    int rows;              ///< of the map
    std::int64_t bytes;

    explicit SpargeParts(const AttentionProblem& p)
        : sla(p), rows(static_cast<int>(blocksOf(p.batch * p.queryHeads * sla.queryBlocks))) {
        WorkspaceParts parts(p.workspace == nullptr ? nullptr : static_cast<char*>(p.workspace) + sla.bytes);
        alike = parts.take<std::uint8_t>(p.batch * p.keyHeads * sla.keyBlocks);
        counts = parts.take<std::int32_t>(rows);
        bytes = sla.bytes + parts.bytes();
    }
};

template <class Element, int kHeadDim>
void compareKeys(const AttentionProblem& p, const SpargeParts& parts, float similarity) {
    const KeysAlikeCall call{.k = p.k,
                             .kStrides = p.kStrides,
                             .keys = static_cast<int>(p.keys),
                             .headDim = static_cast<int>(p.headDim),
                             .keyHeads = static_cast<int>(p.keyHeads),
                             .keyBlocks = parts.sla.keyBlocks,
                             .runs = parts.sla.runs,
                             .keySums = parts.sla.keySums,
                             .similarity = similarity,
                             .alike = parts.alike};
    const dim3 grid(tilesOf(parts.sla.keyBlocks, kKeysAlikeThreads / 32), blocksOf(p.batch * p.keyHeads));
    launch("sparge's pass over keys", Start::WithPrevious, &keysAlike<Element, kHeadDim>, grid,
           kKeysAlikeThreads, 0, static_cast<cudaStream_t>(p.stream), call);
}

template <class Element, int kHeadDim>
void predict(const AttentionProblem& p, const SpargeParts& parts, const BlockPrediction& prediction) {
    using Config = SlaMapConfig<Element, kHeadDim, kSparseQueries, kSparseKeys>;
    const PredictedMapCall call{.map = slaMapCall(p, parts.sla),
                                .alike = parts.alike,
                                .similarity = static_cast<float>(prediction.similarity),
                                .scale = p.scale * kLog2E,
                                .cdf = prediction.cdf,
                                .counts = parts.counts};
    const dim3 grid(tilesOf(parts.sla.queryBlocks, Config::kQueryBlocks), blocksOf(p.batch * p.queryHeads));
    launch("sparge's map", Start::WithPrevious, &predictedMap<Config>, grid, Config::kThreads,
           Config::sharedBytes(parts.sla.choices), static_cast<cudaStream_t>(p.stream), call);
}

}  // namespace

std::int64_t spargeWorkspace(const AttentionProblem& problem) {
    return SpargeParts(withoutBranch(problem)).bytes;
}

void sparge(const AttentionProblem& problem) {
    const AttentionProblem p = withoutBranch(problem);
    const SpargeParts parts(p);
    const BlockPrediction prediction = predictionOf(p);
    sumKeys(p, parts.sla);
    withElementAndHeadDim(p, [&]<class Element>(Element*, auto headDim) {
        compareKeys<Element, headDim>(p, parts, static_cast<float>(prediction.similarity));
        predict<Element, headDim>(p, parts, prediction);
    });
    notePrepared(p);
    const KeptBlocks kept{
        .blocks = parts.sla.chosen, .counts = parts.counts, .pitch = parts.sla.count, .rows = 0};
    attendToKept(p, kept, {});
    tellShare(p, parts.counts, parts.rows, parts.sla.keyBlocks);
}

}  // namespace reelgrid::kernels::cuda::device
