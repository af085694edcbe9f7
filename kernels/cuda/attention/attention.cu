#include "kernels/cuda/attention/attention.cuh"

#include <cuda_runtime.h>

#include <stdexcept>

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

std::string attentionObstacle(Method method) {
    int device = 0, major = 0, minor = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    const bool needsHopper =
        method == Method::Flash3 || method == Method::Flash3Sage || method == Method::Flash3Fp8;
    if (needsHopper && (major != 9 || minor != 0))
        return "compute capability " + std::to_string(major) + "." + std::to_string(minor) +
               ", needs 9.0 (wgmma and tensor copies)";
    return "";
}

std::int64_t attentionWorkspace(Method method, const AttentionProblem& problem) {
    switch (method) {
        case Method::Flash3Sage:
            return fav3SageWorkspace(problem);
        case Method::Flash3Fp8:
            return fav3Fp8Workspace(problem);
        case Method::Flash:
        case Method::Flash3:
        case Method::Sage1:
        case Method::SparseLinear:
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
        case Method::Flash3Sage:
            return fav3Sage(problem);
        case Method::Flash3Fp8:
            return fav3Fp8(problem);
        case Method::Sage1:
        case Method::SparseLinear:
            break;
    }
    throw std::runtime_error("this method has no CUDA kernel");
}

}  // namespace reelgrid::kernels::cuda
