#include "core/execution/kernel_arguments.h"

#include "core/execution/execution.h"
#include "kernels/cuda/library.h"

namespace reelgrid::execution {

std::optional<kernels::DataType> kernelTypeOf(at::ScalarType type) {
    switch (type) {
        case at::kFloat:
            return kernels::DataType::Float32;
        case at::kBFloat16:
            return kernels::DataType::BFloat16;
        case at::kHalf:
            return kernels::DataType::Float16;
        default:
            return std::nullopt;
    }
}

bool hasCudaKernels(at::Device device) {
    return device.is_cuda() && kernels::cuda::library() != nullptr;
}

void* streamOf(const at::Tensor& x) {
    return Execution{.device = x.device()}.stream();
}

}  // namespace reelgrid::execution
