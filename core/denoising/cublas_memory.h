#pragma once

#include <ATen/ATen.h>

#include <cstdint>

#include "core/catalog/render_settings.h"

namespace reelgrid::denoising {

/// What cuBLAS works in, of each pair of a handle and a stream that has multiplied; libtorch hands it out
/// once and keeps it. 32 MiB where the compute capability is 9.0 (8.125 MiB elsewhere, which forecasts take
/// for as much), and for cuBLASLt, which multiplies where a bias is added and in FP8, 1 MiB. Source:
/// aten/src/ATen/cuda/CublasHandlePool.cpp (parseChosenWorkspaceSize(), parseCUDABlasLtWorkspaceSize(),
/// getCUDABlasLtWorkspace()), as libtorch_cuda.so of the wheel 2.11.0+cu130 has it disassembled: both are in
/// one there only with TORCH_CUBLASLT_UNIFIED_WORKSPACE=1 (pytorch/pytorch#175879 came later).
/// CUBLAS_WORKSPACE_CONFIG and CUBLASLT_WORKSPACE_SIZE, which change the sizes, aren't looked at.
inline constexpr std::uint64_t kCublasStreamBytes = std::uint64_t{32 + 1} << 20;

/// Of a render on the device; 0 on any that isn't CUDA's. Each pass that is recorded as a CUDA graph
/// (--use-torch-compile) has a stream of its own.
std::uint64_t cublasBytes(at::Device device, const catalog::RenderSettings& settings);

}  // namespace reelgrid::denoising
