#include "core/vae/kernel_type.h"

#include "core/base/result.h"
#include "core/execution/kernel_arguments.h"

namespace reelgrid::vae {

kernels::DataType kernelTypeOf(const at::Tensor& x) {
    if (const auto type = execution::kernelTypeOf(x.scalar_type())) return *type;
    throw Failure(ErrorCode::Unsupported, std::string("a VAE in ") + at::toString(x.scalar_type()) +
                                              ": fp32, bf16 or fp16 was needed");
}

}  // namespace reelgrid::vae
