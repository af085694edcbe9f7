#include "kernels/cuda/attention/attention.cuh"

#include <cuda_runtime.h>

#include <algorithm>
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

enum class Gpus { All, WithE4m3, HopperOnly };

/// One way to run a method.
struct Kernel {
    void (*attend)(const AttentionProblem&);
    std::int64_t (*workspace)(const AttentionProblem&) = nullptr;  ///< null: it needs none
    Gpus runsOn = Gpus::All;
};

/// sagev2's option "sum-bits".
bool asksForHalfSums(const AttentionProblem& problem) {
    return std::ranges::any_of(problem.context.options, [](const OptionValue& option) {
        return option.key == "sum-bits" && option.value == "16";
    });
}

Kernel kernelFor(Method method, const AttentionProblem& problem, const Capability& found) {
    switch (method) {
        case Method::Flash:
            return {&fav2};
        case Method::Flash3:
            return found.usesTcgen05() ? Kernel{&fav3Tcgen05} : Kernel{&fav3, nullptr, Gpus::HopperOnly};
        case Method::Flash3Sage:
            if (found.prefersHopper()) return {&fav3Sage, &fav3SageWorkspace};
            return found.hasE4m3() ? Kernel{&fav3SageByteMma, &fav3SageByteMmaWorkspace}
                                   : Kernel{&fav3SageMma, &fav3SageMmaWorkspace};
        case Method::Flash3Fp8:
            if (found.prefersHopper()) return {&fav3Fp8, &fav3Fp8Workspace};
            return {&fav3Fp8ByteMma, &fav3Fp8ByteMmaWorkspace, Gpus::WithE4m3};
        case Method::Sage2:
            if (found.prefersHopper()) return {&sagev2, &sagev2Workspace};
            if (!found.hasE4m3()) return {&sagev2Mma, &sagev2MmaWorkspace};
            return {asksForHalfSums(problem) ? &sagev2HalfSumsByteMma : &sagev2ByteMma,
                    &sagev2ByteMmaWorkspace};
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
    const Kernel kernel = kernelFor(method, problem, found);
    const std::string number = std::to_string(found.major) + "." + std::to_string(found.minor);
    if (kernel.runsOn == Gpus::HopperOnly && !found.isHopper())
        return {.obstacle = "compute capability " + number + ", needs 9.0 (wgmma and tensor copies)" +
                            (found.hasTcgen05() ? "; REELGRID_GPU_KERNELS=tcgen05 takes a kernel for " +
                                                      number + " that was never run"
                                                : "")};
    if (kernel.runsOn == Gpus::WithE4m3 && !found.hasE4m3())
        return {.obstacle = "compute capability " + number + ", needs 8.9 (products of e4m3)"};
    if (method == Method::Sage2 && asksForHalfSums(problem) && (found.prefersHopper() || !found.hasE4m3()))
        return {.obstacle = "sum-bits 16, needs 32 on compute capability " + number};
    if (isShort(method, problem)) return {.attend = shortKernelFor(method)};
    if (method == Method::Flash3 && found.usesTcgen05() && problem.headDim > kMostTcgen05HeadDim)
        return {.obstacle = "head dim " + std::to_string(problem.headDim) + ", needs at most " +
                            std::to_string(kMostTcgen05HeadDim) + " by tcgen05"};
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
