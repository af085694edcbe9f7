// Attention over all keys from attention over parts of them.
//
// Shape legend: B batch, H heads, N queries, D head dim.

#include <ATen/Parallel.h>
#include <torch/library.h>

#include <tuple>

#include "kernels/attention/merge_partials.h"
#include "packaging/python/operators/arguments.h"
#include "packaging/python/operators/gradients.h"

namespace reelgrid::operators {
namespace {

kernels::Strides rowStridesOf(const at::Tensor& x_BHND) {
    return {.batch = x_BHND.stride(0), .head = x_BHND.stride(1), .token = x_BHND.stride(2)};
}

std::tuple<at::Tensor, at::Tensor> mergeAttention(at::TensorList outs, at::TensorList lses) {
    TORCH_CHECK_VALUE(!outs.empty() && outs.size() == lses.size(), "reelgrid::merge_attention: ", outs.size(),
                      " outs and ", lses.size(), " lses, needs as many of both, at least one");
    const at::Tensor& first = outs[0];
    const Call call("merge_attention", first);
    call.needsSizes("outs[0]", first, {-1, -1, -1, -1}, "batch, heads, tokens, head dim");
    const auto s = first.sizes();
    const at::Tensor sum_BNHD = at::empty({s[0], s[2], s[1], s[3]}, first.options().dtype(at::kFloat));
    const at::Tensor sum_BHND = sum_BNHD.transpose(1, 2);
    at::Tensor lse_BHN = at::empty({s[0], s[1], s[2]}, first.options().dtype(at::kFloat));
    const kernels::MergedAttention merged{.out = sum_BNHD.mutable_data_ptr<float>(),
                                          .lse = lse_BHN.mutable_data_ptr<float>(),
                                          .strides = rowStridesOf(sum_BHND),
                                          .batch = s[0],
                                          .heads = s[1],
                                          .queries = s[2],
                                          .headDim = s[3],
                                          .threads = at::get_num_threads()};
    kernels::startMerge(merged);
    for (std::size_t i = 0; i < outs.size(); ++i) {
        std::string index = "[";
        index += std::to_string(i) + "]";
        call.needsTensor(("outs" + index).c_str(), outs[i], kFloatTypes);
        call.needsTensor(("outs" + index).c_str(), outs[i], {first.scalar_type()});
        call.needsSizes(("outs" + index).c_str(), outs[i], s, "batch, heads, tokens, head dim");
        const at::Tensor partLse =
            call.optionalFloats(("lses" + index).c_str(), lses[i], s.slice(0, 3), "batch, heads, tokens");
        const at::Tensor part = s[3] == 1 || outs[i].stride(3) == 1 ? outs[i] : outs[i].contiguous();
        kernels::mergePart(merged, {.out = part.const_data_ptr(),
                                    .lse = floatsOf(partLse),
                                    .type = kernelTypeOf(part.scalar_type()),
                                    .strides = rowStridesOf(part),
                                    .queries = s[2]});
    }
    if (first.scalar_type() == at::kFloat) return {sum_BHND, lse_BHN};
    const at::Tensor out_BHND = at::empty(sum_BNHD.sizes(), first.options()).transpose(1, 2);
    kernels::roundMerged(merged, kernelTypeOf(first.scalar_type()), out_BHND.data_ptr(),
                         rowStridesOf(out_BHND));
    return {out_BHND, lse_BHN};
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(reelgrid, m) {
    m.def("merge_attention(Tensor[] outs, Tensor[] lses) -> (Tensor, Tensor)", {at::Tag::pt2_compliant_tag});
}

TORCH_LIBRARY_IMPL(reelgrid, CPU, m) {
    m.impl("merge_attention", TORCH_FN(mergeAttention));
}

TORCH_LIBRARY_IMPL(reelgrid, Autograd, m) {
    refuseGradients(m, {"merge_attention"});
}

}  // namespace reelgrid::operators
