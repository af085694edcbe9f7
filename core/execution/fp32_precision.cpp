#include "core/execution/fp32_precision.h"

#include <ATen/Context.h>

#include "core/protocol/render_fields.h"

namespace reelgrid::execution {

void setFp32Precision(const std::string& precision) {
    const bool tf32 = precision == protocol::kTf32;
    const auto chosen = tf32 ? at::Float32Precision::TF32 : at::Float32Precision::IEEE;
    at::globalContext().setFloat32Precision(at::Float32Backend::CUDA, at::Float32Op::CONV, chosen);
    at::globalContext().setFloat32Precision(at::Float32Backend::CUDA, at::Float32Op::MATMUL, chosen);
}

bool allowsTf32() {
    return at::globalContext().float32Precision(at::Float32Backend::CUDA, at::Float32Op::CONV) ==
           at::Float32Precision::TF32;
}

}  // namespace reelgrid::execution
