// fav3_sage, sagev2 and fav3_fp8 by mma over bytes, from compute capability 8.9 on.

#include "kernels/cuda/attention/launch_attention.cuh"
#include "kernels/cuda/attention/quantise/method_parts.cuh"
#include "kernels/cuda/attention/sm80/byte_mma_kernel.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr TileRows kTile{ByteMmaConfig<float, 128>::kQueries, ByteMmaConfig<float, 128>::kKeys};

QuantisedOperands operandsIn(Method method, const AttentionProblem& problem) {
    WorkspaceParts parts(problem.workspace);
    return operandsOf(method, parts, problem, kTile, ValueBytes::E4m3);
}

template <class Score, int kHeadDim, TileSums kTileSums>
void launch(Method method, const AttentionProblem& p, const QuantisedOperands& x, float scoreFactor) {
    using Config = ByteMmaConfig<Score, kHeadDim, kTileSums>;
    ByteMmaCall call{.shape = shapeOf(p),
                     .operands = x,
                     .entries = ScaleEntries::of(method, kHeadDim),
                     .scoreFactor = scoreFactor,
                     .range = WeightRange::of(method),
                     .outType = p.type,
                     .queryTiles = tilesOf(p.queries, Config::kQueries)};
    call.shape.scale = 1.0F;
    const auto kernel = &byteMmaKernel<Config>;
    allowShared(kernel, Config::kSharedBytes);
    const auto blocks = blocksOf(call.queryTiles * p.queryHeads * p.batch);
    kernel<<<blocks, Config::kThreads, Config::kSharedBytes, static_cast<cudaStream_t>(p.stream)>>>(call);
    checkLaunch("of quantised attention by mma");
}

template <class Score, TileSums kTileSums = TileSums::Fp32>
void launch(Method method, const AttentionProblem& p, const QuantisedOperands& x, float scoreFactor) {
    if (x.headDim == 64)
        launch<Score, 64, kTileSums>(method, p, x, scoreFactor);
    else
        launch<Score, 128, kTileSums>(method, p, x, scoreFactor);
}

template <TileSums kTileSums>
void attendInt8(Method method, const AttentionProblem& problem) {
    const QuantisedOperands x = operandsIn(method, problem);
    quantiseInt8Rows(method, problem, x);
    quantiseValues(method, problem, x, kTileSums == TileSums::Fp32 ? kLargestE4m3 : kMostOfHalfSums);
    notePrepared(problem);
    launch<std::int32_t, kTileSums>(method, problem, x, 1.0F);
}

}  // namespace

std::int64_t fav3SageByteMmaWorkspace(const AttentionProblem& problem) {
    return operandBytes(Method::Flash3Sage, problem, kTile, ValueBytes::E4m3);
}
void fav3SageByteMma(const AttentionProblem& problem) {
    attendInt8<TileSums::Fp32>(Method::Flash3Sage, problem);
}

std::int64_t sagev2ByteMmaWorkspace(const AttentionProblem& problem) {
    return operandBytes(Method::Sage2, problem, kTile, ValueBytes::E4m3);
}
void sagev2ByteMma(const AttentionProblem& problem) {
    attendInt8<TileSums::Fp32>(Method::Sage2, problem);
}
void sagev2HalfSumsByteMma(const AttentionProblem& problem) {
    attendInt8<TileSums::Fp16>(Method::Sage2, problem);
}

std::int64_t fav3Fp8ByteMmaWorkspace(const AttentionProblem& problem) {
    return operandBytes(Method::Flash3Fp8, problem, kTile, ValueBytes::E4m3);
}
void fav3Fp8ByteMma(const AttentionProblem& problem) {
    const QuantisedOperands x = operandsIn(Method::Flash3Fp8, problem);
    quantiseRotatedRows(problem, x);
    quantiseValues(Method::Flash3Fp8, problem, x);
    notePrepared(problem);
    launch<float>(Method::Flash3Fp8, problem, x, rotatedScoreFactor(problem));
}

}  // namespace reelgrid::kernels::cuda::device
