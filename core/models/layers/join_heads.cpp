#include "core/models/layers/join_heads.h"

#include <algorithm>
#include <iterator>

#include "core/execution/kernel_arguments.h"
#include "core/models/layers/float_pointer.h"
#include "kernels/cuda/library.h"

namespace reelgrid::models {

bool joinsHeads(const at::Tensor& qkv_BNV, std::int64_t headDim) {
    constexpr std::int64_t kHeadDims[]{16, 32, 64, 128};
    return execution::hasCudaKernels(qkv_BNV) && execution::kernelTypeOf(qkv_BNV.scalar_type()) &&
           qkv_BNV.is_contiguous() && std::ranges::find(kHeadDims, headDim) != std::end(kHeadDims);
}

void joinHeads(const at::Tensor& qkv_BNV, std::int64_t headDim, const HeadRmsWeights& norms,
               const at::Tensor& out_BTV, std::int64_t first) {
    kernels::cuda::library()->joinHeads({.rows = qkv_BNV.size(0) * qkv_BNV.size(1),
                                         .channels = qkv_BNV.size(2) / 3,
                                         .headDim = headDim,
                                         .eps = static_cast<float>(norms.eps),
                                         .type = *execution::kernelTypeOf(qkv_BNV.scalar_type()),
                                         .x = qkv_BNV.const_data_ptr(),
                                         .queryWeight = floatsOrNull(norms.query_D),
                                         .keyWeight = floatsOrNull(norms.key_D),
                                         .tokens = qkv_BNV.size(1),
                                         .out = out_BTV.data_ptr(),
                                         .outTokens = out_BTV.size(1),
                                         .firstToken = first},
                                        execution::streamOf(qkv_BNV));
}

}  // namespace reelgrid::models
