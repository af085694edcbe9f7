#include "kernels/cuda/attention/attention.cuh"

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "kernels/cuda/attention/attention_cuda.h"
#include "kernels/cuda/capability.h"
#include "kernels/cuda/kernels.cuh"

namespace reelgrid::kernels::cuda::device {

AttentionShape shapeOf(const AttentionProblem& problem) {
    return {.queries = static_cast<int>(problem.queries),
            .keys = static_cast<int>(problem.keys),
            .headDim = static_cast<int>(problem.headDim),
            .queryHeads = static_cast<int>(problem.queryHeads),
            .queryHeadsPerKeyHead = static_cast<int>(problem.queryHeads / problem.keyHeads),
            .scale = problem.scale * kLog2E,
            .mask = problem.mask,
            .keyBias = problem.keyBias,
            .lse = problem.lse,
            .out = problem.out,
            .outStrides = problem.outStrides};
}

namespace {

enum class Gpus { All, HopperOnly };

/// One way to run a method.
struct Kernel {
    void (*attend)(const AttentionProblem&);
    std::int64_t (*workspace)(const AttentionProblem&) = nullptr;  ///< null: it needs none
    Gpus runsOn = Gpus::All;
};

Kernel kernelFor(Method method, const Capability& found) {
    switch (method) {
        case Method::Flash:
            return {&fav2};
        case Method::Flash3:
            return {&fav3, nullptr, Gpus::HopperOnly};
        case Method::Flash3Sage:
            return {&fav3Sage, &fav3SageWorkspace, Gpus::HopperOnly};
        case Method::Flash3Fp8:
            return {&fav3Fp8, &fav3Fp8Workspace, Gpus::HopperOnly};
        case Method::Sage1:
            return found.prefersHopper() ? Kernel{&sagev1, &sagev1Workspace}
                                         : Kernel{&sagev1Mma, &sagev1MmaWorkspace};
        case Method::SparseLinear:
            return {found.prefersHopper() ? &sla : &slaMma, &slaWorkspace};
        case Method::SageSparseLinear:
            return found.prefersHopper() ? Kernel{&sagesla, &sageslaWorkspace}
                                         : Kernel{&sageslaMma, &sageslaMmaWorkspace};
        case Method::Sparge:
            return {&sparge, &spargeWorkspace};
        case Method::SlidingTile:
            return {&slidingTiles, &slidingTilesWorkspace};
        case Method::Radial:
            return {&radial};
        case Method::Sage2:
            break;
    }
    throw std::runtime_error("this method has no CUDA kernel");
}

/// Of problems over short sequences.
void (*shortKernelFor(Method method))(const AttentionProblem&) {
    switch (method) {
        case Method::Flash:
        case Method::Flash3:
        case Method::SparseLinear:
        case Method::SageSparseLinear:
        case Method::Sage2:
        case Method::Sparge:
        case Method::SlidingTile:
        case Method::Radial:
            break;
        case Method::Sage1:
            return &shortSagev1;
        case Method::Flash3Sage:
            return &shortFav3Sage;
        case Method::Flash3Fp8:
            return &shortFav3Fp8;
    }
    return &shortAttention;
}

/// Turing has fav2 alone, over half its dtypes.
AttentionPlan planOnTuring(Method method, const AttentionProblem& problem) {
    const std::string capability = "compute capability 7.5";
    if (method != Method::Flash) return {.obstacle = capability + ", needs 8.0"};
    if (problem.type != DataType::Float16)
        return {.obstacle = std::string("dtype ") + nameOf(problem.type) + ", needs fp16 on " + capability};
    if (problem.headDim > kMostTuringHeadDim)
        return {.obstacle = "head dim " + std::to_string(problem.headDim) + ", needs at most " +
                            std::to_string(kMostTuringHeadDim) + " on " + capability};
    return {.attend = &fav2Turing};
}

}  // namespace

AttentionPlan planAttention(Method method, const AttentionProblem& problem) {
    const Capability found = capability();
    if (found.isTreatedAsTuring()) return planOnTuring(method, problem);
    const Kernel kernel = kernelFor(method, found);
    if (kernel.runsOn == Gpus::HopperOnly && !found.isHopper())
        return {.obstacle = "compute capability " + std::to_string(found.major) + "." +
                            std::to_string(found.minor) + ", needs 9.0 (wgmma and tensor copies)"};
    if (isShort(method, problem)) return {.attend = shortKernelFor(method)};
    return {.workspaceBytes = kernel.workspace != nullptr ? kernel.workspace(problem) : 0,
            .attend = kernel.attend};
}

void notePrepared(const AttentionProblem& problem) {
    if (problem.prepared == nullptr) return;
    const cudaError_t error = cudaEventRecord(static_cast<cudaEvent_t>(problem.prepared),
                                              static_cast<cudaStream_t>(problem.stream));
    if (error != cudaSuccess)
        throw std::runtime_error(std::string("an event could not be recorded: ") + cudaGetErrorString(error));
}

}  // namespace reelgrid::kernels::cuda::device
