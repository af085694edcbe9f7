#pragma once

#include <utility>

#include "kernels/attention/method.h"
#include "kernels/cuda/attention/score_rows.cuh"

namespace reelgrid::kernels::cuda::device {

/// What is not about where Q, K and V lie.
AttentionShape shapeOf(const AttentionProblem& problem);

/// Records the problem's event, if it has one: its preparation is queued.
void notePrepared(const AttentionProblem& problem);

/// Problems for which isShort() says yes (attention_cuda.h).
void shortAttention(const AttentionProblem& problem);
void shortSagev1(const AttentionProblem& problem);
void shortFav3Sage(const AttentionProblem& problem);
void shortFav3Fp8(const AttentionProblem& problem);

void fav2(const AttentionProblem& problem);
/// For Turing: fp16, head dims up to this.
constexpr std::int64_t kMostTuringHeadDim = 192;
void fav2Turing(const AttentionProblem& problem);
void fav3(const AttentionProblem& problem);
/// By tcgen05, head dims up to this.
constexpr std::int64_t kMostTcgen05HeadDim = 128;
void fav3Tcgen05(const AttentionProblem& problem);
void fav3Sage(const AttentionProblem& problem);
void fav3Fp8(const AttentionProblem& problem);
void sagev2(const AttentionProblem& problem);
/// Bytes of workspace that they need.
std::int64_t fav3SageWorkspace(const AttentionProblem& problem);
std::int64_t fav3Fp8Workspace(const AttentionProblem& problem);
std::int64_t sagev2Workspace(const AttentionProblem& problem);

/// The same methods by mma over bytes, from compute capability 8.9 on.
void fav3SageByteMma(const AttentionProblem& problem);
void fav3Fp8ByteMma(const AttentionProblem& problem);
void sagev2ByteMma(const AttentionProblem& problem);
void sagev2HalfSumsByteMma(const AttentionProblem& problem);  ///< needs as much
std::int64_t fav3SageByteMmaWorkspace(const AttentionProblem& problem);
std::int64_t fav3Fp8ByteMmaWorkspace(const AttentionProblem& problem);
std::int64_t sagev2ByteMmaWorkspace(const AttentionProblem& problem);
/// With int8 scores, P and V of the input's type, for what has no e4m3 products.
void fav3SageMma(const AttentionProblem& problem);
void sagev2Mma(const AttentionProblem& problem);
std::int64_t fav3SageMmaWorkspace(const AttentionProblem& problem);
std::int64_t sagev2MmaWorkspace(const AttentionProblem& problem);

/// By wgmma (Hopper) or by mma.
void sagev1(const AttentionProblem& problem);
std::int64_t sagev1Workspace(const AttentionProblem& problem);
void sagev1Mma(const AttentionProblem& problem);
std::int64_t sagev1MmaWorkspace(const AttentionProblem& problem);

/// Likewise; both need as much.
void sla(const AttentionProblem& problem);
void slaMma(const AttentionProblem& problem);
std::int64_t slaWorkspace(const AttentionProblem& problem);

/// Likewise, each with the blocks that upstream has on such GPUs.
void sagesla(const AttentionProblem& problem);
std::int64_t sageslaWorkspace(const AttentionProblem& problem);
void sageslaMma(const AttentionProblem& problem);
std::int64_t sageslaMmaWorkspace(const AttentionProblem& problem);

/// Exact over a map of kept blocks; each looks by itself which kernel suits the GPU.
void sparge(const AttentionProblem& problem);
std::int64_t spargeWorkspace(const AttentionProblem& problem);
void slidingTiles(const AttentionProblem& problem);
std::int64_t slidingTilesWorkspace(const AttentionProblem& problem);
void radial(const AttentionProblem& problem);

/// The head dims that a kernel is compiled for, ascending.
template <int... kHeadDims>
using HeadDims = std::integer_sequence<int, kHeadDims...>;

/// Calls `with` with a null pointer of the element's type and the head dim of `HeadDims`, 64 or 128 unless
/// said otherwise, that a kernel pads to; nothing where all are smaller than the problem's.
template <int... kHeadDims, class Function>
void withElementAndHeadDim(const AttentionProblem& problem, HeadDims<kHeadDims...>, Function&& with) {
    const auto withHeadDim = [&]<class Element>(Element* element) {
        bool found = false;
        (void)((!found && problem.headDim <= kHeadDims
                    ? (found = true, with(element, std::integral_constant<int, kHeadDims>()))
                    : (void)0),
               ...);
    };
    if (problem.type == DataType::Float16)
        withHeadDim(static_cast<__half*>(nullptr));
    else
        withHeadDim(static_cast<__nv_bfloat16*>(nullptr));
}

template <class Function>
void withElementAndHeadDim(const AttentionProblem& problem, Function&& with) {
    withElementAndHeadDim(problem, HeadDims<64, 128>(), with);
}

/// Tiles of queries of a head.
inline int tilesOf(std::int64_t queries, int each) {
    return static_cast<int>((queries + each - 1) / each);
}

}  // namespace reelgrid::kernels::cuda::device
