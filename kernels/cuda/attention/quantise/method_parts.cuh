#pragma once

// What fav3_sage, sagev2 and fav3_fp8 prepare for any of their kernels, in the call's workspace.

#include "kernels/cuda/attention/attention.cuh"
#include "kernels/cuda/attention/e4m3.cuh"
#include "kernels/cuda/attention/quantise/quantised_operands.cuh"

namespace reelgrid::kernels::cuda::device {

/// A method's rows of queries that share an entry of their scales, and the same of keys: those of a class,
/// where it has some.
constexpr int queryRowsOfEntry(Method method, int headDim) {
    const MethodTraits traits = traitsOf(method, headDim);
    return traits.scaleBlocks.queries / traits.scaleClasses.queries;
}
constexpr int keyRowsOfEntry(Method method, int headDim) {
    return kScaleGrain / traitsOf(method, headDim).scaleClasses.keys;
}

/// Lays the operands out for a kernel with such tiles.
QuantisedOperands operandsOf(Method method, WorkspaceParts& parts, const AttentionProblem& problem,
                             TileRows tile, ValueBytes values);

inline std::int64_t operandBytes(Method method, const AttentionProblem& problem, TileRows tile,
                                 ValueBytes values) {
    WorkspaceParts parts(nullptr);
    operandsOf(method, parts, problem, tile, values);
    return parts.bytes();
}

/// Queues Q and K to int8, K around its mean where that is asked for. Every GPU since Ampere.
void quantiseInt8Rows(Method method, const AttentionProblem& problem, const QuantisedOperands& x);

/// Queues Q and K to e4m3 after fav3_fp8's rotation. From compute capability 8.9 on.
void quantiseRotatedRows(const AttentionProblem& problem, const QuantisedOperands& x);
/// What their products are multiplied by beside the scales of row and column: the rotation left both operands
/// √size too long.
float rotatedScoreFactor(const AttentionProblem& problem);

/// Queues V to e4m3, with a scale a channel or, for fav3_fp8, a head, that makes `largest` of the largest of
/// them. From compute capability 8.9 on.
void quantiseValues(Method method, const AttentionProblem& problem, const QuantisedOperands& x,
                    float largest = kLargestE4m3);

}  // namespace reelgrid::kernels::cuda::device
