#include "kernels/cuda/attention/attention.cuh"

#include <cuda_runtime.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "kernels/cuda/kernels.cuh"

namespace reelgrid::kernels::cuda {

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

struct Capability {
    int major = 0, minor = 0;
};

Capability capability() {
    int device = 0;
    Capability found;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&found.major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&found.minor, cudaDevAttrComputeCapabilityMinor, device);
    return found;
}

bool isHopper(const Capability& found) {
    return found.major == 9 && found.minor == 0;
}

/// Whether to use what only Hopper has, where a method has another kernel, too.
bool usesHopper() {
    static const char* const kernels = std::getenv("REELGRID_GPU_KERNELS");
    return isHopper(capability()) && (kernels == nullptr || std::string_view(kernels) != "mma");
}

}  // namespace

std::string attentionObstacle(Method method) {
    const bool isForHopper =
        method == Method::Flash3 || method == Method::Flash3Sage || method == Method::Flash3Fp8;
    if (const Capability found = capability(); isForHopper && !isHopper(found))
        return "compute capability " + std::to_string(found.major) + "." + std::to_string(found.minor) +
               ", needs 9.0 (wgmma and tensor copies)";
    return "";
}

std::int64_t attentionWorkspace(Method method, const AttentionProblem& problem) {
    switch (method) {
        case Method::Sage1:
            return usesHopper() ? sagev1Workspace(problem) : sagev1MmaWorkspace(problem);
        case Method::Flash3Sage:
            return fav3SageWorkspace(problem);
        case Method::Flash3Fp8:
            return fav3Fp8Workspace(problem);
        case Method::SparseLinear:
            return slaWorkspace(problem);
        case Method::Flash:
        case Method::Flash3:
            break;
    }
    return 0;
}

void notePrepared(const AttentionProblem& problem) {
    if (problem.prepared == nullptr) return;
    const cudaError_t error = cudaEventRecord(static_cast<cudaEvent_t>(problem.prepared),
                                              static_cast<cudaStream_t>(problem.stream));
    if (error != cudaSuccess)
        throw std::runtime_error(std::string("an event could not be recorded: ") + cudaGetErrorString(error));
}

void attend(Method method, const AttentionProblem& problem) {
    switch (method) {
        case Method::Flash:
            return fav2(problem);
        case Method::Flash3:
            return fav3(problem);
        case Method::Sage1:
            return usesHopper() ? sagev1(problem) : sagev1Mma(problem);
        case Method::Flash3Sage:
            return fav3Sage(problem);
        case Method::Flash3Fp8:
            return fav3Fp8(problem);
        case Method::SparseLinear:
            return usesHopper() ? sla(problem) : slaMma(problem);
    }
    throw std::runtime_error("this method has no CUDA kernel");
}

}  // namespace reelgrid::kernels::cuda
