#pragma once

// The quantised and sparse methods written down once more, scalar and in float64, from their definitions:
// what is left between a kernel and its oracle is the rounding of fp32 sums and of the output.

#include <vector>

#include "kernels/attention/method.h"
#include "kernels/attention/problem.h"

namespace reelgrid::kernels::test {

/// To the nearest e4m3 value (ties to even), saturating at ±448.
double roundToE4m3(double x);

struct Quantisation {
    enum class Scores { Exact, Int8, E4m3 };
    Scores scores = Scores::Exact;
    int scaleQueries = 0;  ///< rows that share a scale; 0: all rows of the head
    int scaleKeys = 0;
    int queryClasses = 1, keyClasses = 1;  ///< of eight rows in a row, that have a scale each
    bool centreKeys = false;
    bool rotate = false;
    enum class Values { Exact, PerChannel, PerHead };
    Values values = Values::Exact;
    float largestValue = 448;   ///< what the largest of those becomes
    bool roundWeights = false;  ///< P to e4m3, after 2^weightOffset
    double weightOffset = 0;
    int turnKeys = 128;  ///< keys between two updates of the running maximum
    bool lastFirst = false;
};

/// Of sagev1, sagev2, fav3_sage, fav3_fp8 and sagesla.
Quantisation quantisationOf(Method method, int headDim);

/// [B, Hq, Nq, D].
std::vector<double> quantisedAttention(const AttentionProblem& problem, const Quantisation& method);

/// SLA: its block map, the softmax over the chosen blocks and the linear branch.
std::vector<double> sparseLinearAttention(const AttentionProblem& problem);

/// SageSLA as upstream has it (SLA/core.py with SpargeAttn's kernels): the same over such blocks, scores and
/// values of the chosen ones quantised. Without more said as on Hopper; on other GPUs sagev1's method over
/// sla's blocks.
std::vector<double> sageSparseLinearAttention(
    const AttentionProblem& problem,
    const Quantisation& method = quantisationOf(Method::SageSparseLinear, 128),
    const SparseBlocks& blocks = traitsOf(Method::SageSparseLinear, 128).sparse);

struct PredictedAttention {
    std::vector<double> out;  ///< [B, Hq, Nq, D]
    double keptShare = 0;     ///< of the pairs of blocks
};

/// SpargeAttention's map (get_block_map_meansim) and the softmax over it; nothing is left out for its scores.
PredictedAttention predictedAttention(const AttentionProblem& problem);

}  // namespace reelgrid::kernels::test
