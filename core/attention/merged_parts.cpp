#include "core/attention/merged_parts.h"

#include <limits>

#include "core/attention/attention_problem.h"
#include "core/execution/kernel_arguments.h"
#include "kernels/attention/merge_partials.h"

namespace reelgrid::attention {
namespace {

kernels::Strides stridesOfPart(const at::Tensor& x_BHND) {
    return {x_BHND.stride(0), x_BHND.stride(1), x_BHND.stride(2)};
}

/// On a GPU, by libtorch's operators.
void mergeThere(const at::Tensor& out_BHND, const at::Tensor& lse_BHN, const at::Tensor& part_BHND,
                const at::Tensor& partLse_BHN) {
    const at::Tensor both_BHN = at::logaddexp(lse_BHN, partLse_BHN);
    // Where neither saw a key there is nothing to weigh.
    const auto weightOf = [&](const at::Tensor& lse) {
        return at::exp(lse - both_BHN).nan_to_num(0.0).unsqueeze(-1);
    };
    out_BHND.mul_(weightOf(lse_BHN)).addcmul_(part_BHND.to(at::kFloat), weightOf(partLse_BHN));
    lse_BHN.copy_(both_BHN);
}

}  // namespace

MergedParts::MergedParts(const at::Tensor& q_BHND)
    : m_dtype(q_BHND.scalar_type()),
      m_out_BNHD(at::zeros({q_BHND.size(0), q_BHND.size(2), q_BHND.size(1), q_BHND.size(3)},
                           q_BHND.options().dtype(at::kFloat))),
      m_lse_BHN(at::full({q_BHND.size(0), q_BHND.size(1), q_BHND.size(2)},
                         -std::numeric_limits<float>::infinity(), q_BHND.options().dtype(at::kFloat))) {}

void MergedParts::add(const at::Tensor& out_BHND, const at::Tensor& lse_BHN) {
    const at::Tensor merged_BHND = m_out_BNHD.transpose(1, 2);
    const auto type = execution::kernelTypeOf(out_BHND.scalar_type());
    if (!out_BHND.is_cpu() || !type) return mergeThere(merged_BHND, m_lse_BHN, out_BHND, lse_BHN);
    kernels::mergePart({.out = m_out_BNHD.data_ptr<float>(),
                        .lse = m_lse_BHN.data_ptr<float>(),
                        .strides = stridesOfPart(merged_BHND),
                        .batch = merged_BHND.size(0),
                        .heads = merged_BHND.size(1),
                        .queries = merged_BHND.size(2),
                        .headDim = merged_BHND.size(3)},
                       {.out = out_BHND.const_data_ptr(),
                        .lse = lse_BHN.const_data_ptr<float>(),
                        .type = *type,
                        .strides = stridesOfPart(out_BHND),
                        .queries = out_BHND.size(2)});
}

at::Tensor MergedParts::rounded() const {
    return m_out_BNHD.to(m_dtype).transpose(1, 2);
}

}  // namespace reelgrid::attention
