#include "core/attention/attention_problem.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "core/execution/kernel_arguments.h"

namespace reelgrid::attention {

kernels::Strides stridesOf(const at::Tensor& x_BHND) {
    return {.batch = x_BHND.stride(0), .head = x_BHND.stride(1), .token = x_BHND.stride(2)};
}

kernels::AttentionProblem problemOf(const at::Tensor& q_BHND, const at::Tensor& k_BHMD,
                                    const at::Tensor& v_BHMD) {
    kernels::AttentionProblem problem;
    problem.q = q_BHND.const_data_ptr();
    problem.k = k_BHMD.const_data_ptr();
    problem.v = v_BHMD.const_data_ptr();
    problem.type = execution::kernelTypeOf(q_BHND.scalar_type()).value();
    problem.batch = q_BHND.size(0);
    problem.queryHeads = q_BHND.size(1);
    problem.keyHeads = k_BHMD.size(1);
    problem.queries = q_BHND.size(2);
    problem.keys = k_BHMD.size(2);
    problem.headDim = q_BHND.size(3);
    problem.qStrides = stridesOf(q_BHND);
    problem.kStrides = stridesOf(k_BHMD);
    problem.vStrides = stridesOf(v_BHMD);
    problem.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(problem.headDim)));
    problem.threads = at::get_num_threads();
    problem.device = q_BHND.is_cpu() ? kernels::Device::Cpu : kernels::Device::Cuda;
    return problem;
}

void writeTo(kernels::AttentionProblem& problem, const at::Tensor& out_BHND) {
    problem.out = out_BHND.data_ptr();
    problem.outStrides = stridesOf(out_BHND);
}

at::Tensor outputOf(kernels::AttentionProblem& problem, const at::Tensor& q_BHND) {
    const std::int64_t batch = q_BHND.size(0), heads = q_BHND.size(1), tokens = q_BHND.size(2),
                       headDim = q_BHND.size(3);
    const bool tokensFirst = batch > 1 && tokens > 1 && q_BHND.stride(0) < q_BHND.stride(2);
    at::Tensor out_BHND =
        tokensFirst ? at::empty({tokens, batch, heads, headDim}, q_BHND.options()).permute({1, 2, 0, 3})
                    : at::empty({batch, tokens, heads, headDim}, q_BHND.options()).transpose(1, 2);
    writeTo(problem, out_BHND);
    return out_BHND;
}

at::Tensor workspaceOf(kernels::AttentionProblem& problem, const kernels::AttentionPlan& plan,
                       const at::Tensor& q_BHND) {
    if (plan.workspaceBytes == 0) return {};
    at::Tensor workspace = at::empty({plan.workspaceBytes}, q_BHND.options().dtype(at::kByte));
    problem.workspace = workspace.data_ptr();
    return workspace;
}

bool tellsKeptShare(const kernels::BackendInfo& backend, kernels::Device device) {
    if (device == kernels::Device::Cpu) return backend.sparse && backend.plugin == nullptr;
    constexpr int kAnyHeadDim = 128;
    return backend.method && kernels::traitsOf(*backend.method, kAnyHeadDim).map != kernels::BlockMap::TopK;
}

at::Tensor keptShareOf(kernels::AttentionProblem& problem, const at::Tensor& q_BHND) {
    at::Tensor share = at::empty({}, q_BHND.options().dtype(at::kDouble));
    problem.keptShare = share.data_ptr<double>();
    return share;
}

}  // namespace reelgrid::attention
