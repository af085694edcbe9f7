#include "packaging/python/operators/attention_call.h"

#include <ATen/Parallel.h>

#include <cmath>
#include <string>
#include <utility>

#include "kernels/backends/backend_list.h"
#include "packaging/python/operators/arguments.h"

namespace reelgrid::operators {
namespace {

using kernels::Method;

const kernels::BackendInfo& backendOf(Method method) {
    for (const kernels::BackendInfo& backend : kernels::backends())
        if (backend.method == method) return backend;
    TORCH_CHECK(false, "reelgrid: a method without a backend");
}

kernels::Strides stridesOf(const at::Tensor& x_BHND) {
    return {.batch = x_BHND.stride(0), .head = x_BHND.stride(1), .token = x_BHND.stride(2)};
}

/// The kernels take any strides but the head dim's.
at::Tensor withDenseRows(const at::Tensor& x_BHND) {
    return x_BHND.size(3) == 1 || x_BHND.stride(3) == 1 ? x_BHND : x_BHND.contiguous();
}

}  // namespace

Attended attend(Method method, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                const AttentionOptions& options) {
    const kernels::BackendInfo& backend = backendOf(method);
    const Call call(std::string(backend.name), q);
    constexpr const char* kMeaning = "batch, heads, tokens, head dim";
    call.needsTensor("q", q, kFloatTypes);
    call.needsSizes("q", q, {-1, -1, -1, -1}, kMeaning);
    for (const auto& [name, x] : {std::pair{"k", &k}, {"v", &v}}) {
        call.needsTensor(name, *x, {q.scalar_type()});
        call.needsSizes(name, *x, {q.size(0), -1, -1, q.size(3)}, kMeaning);
    }
    call.needsSizes("v", v, k.sizes(), kMeaning);
    const std::int64_t dims = q.size(3);
    const at::Tensor keyBias_M = call.optionalFloats("key_bias", options.keyBias, {k.size(2)}, "keys");
    const at::Tensor weight_DD =
        call.optionalFloats("proj_weight", options.projWeight, {dims, dims}, "head dim, head dim");
    const at::Tensor bias_D = call.optionalFloats("proj_bias", options.projBias, {dims}, "head dim");
    TORCH_CHECK_VALUE(weight_DD.defined() || !bias_D.defined(), call.op(),
                      ": proj_bias without proj_weight, needs both or the weight alone");
    if (!call.isCpu()) (void)call.cuda();

    const at::Tensor q_BHND = withDenseRows(q), k_BGMD = withDenseRows(k), v_BGMD = withDenseRows(v);
    Attended attended;
    const at::Tensor out_BNHD = at::empty({q.size(0), q.size(2), q.size(1), dims}, q.options());
    attended.out_BHND = out_BNHD.transpose(1, 2);
    if (options.wantsLse)
        attended.lse_BHN = at::empty({q.size(0), q.size(1), q.size(2)}, q.options().dtype(at::kFloat));

    kernels::AttentionProblem problem{
        .device = call.isCpu() ? kernels::Device::Cpu : kernels::Device::Cuda,
        .stream = call.stream(),
        .q = q_BHND.const_data_ptr(),
        .k = k_BGMD.const_data_ptr(),
        .v = v_BGMD.const_data_ptr(),
        .out = attended.out_BHND.data_ptr(),
        .lse = options.wantsLse ? attended.lse_BHN.data_ptr<float>() : nullptr,
        .type = kernelTypeOf(q.scalar_type()),
        .batch = q.size(0),
        .queryHeads = q.size(1),
        .keyHeads = k.size(1),
        .queries = q.size(2),
        .keys = k.size(2),
        .headDim = dims,
        .qStrides = stridesOf(q_BHND),
        .kStrides = stridesOf(k_BGMD),
        .vStrides = stridesOf(v_BGMD),
        .outStrides = stridesOf(attended.out_BHND),
        .scale = static_cast<float>(options.scale.value_or(1.0 / std::sqrt(static_cast<double>(dims)))),
        .mask = options.isCausal ? kernels::Mask::Causal : kernels::Mask::None,
        .keySmoothing = options.smoothsKeys ? kernels::KeySmoothing::Mean : kernels::KeySmoothing::None,
        .keyBias = floatsOf(keyBias_M),
        .sequence = {},
        .prediction = {},
        .threads = at::get_num_threads(),
        .sparseLinear = {.topkRatio = options.topk,
                         .projection = floatsOf(weight_DD),
                         .bias = floatsOf(bias_D)},
        .context = {.grid = options.grid, .options = options.ofBackend}};
    const kernels::AttentionPlan plan = kernels::plan(backend, problem);
    TORCH_CHECK_VALUE(plan.obstacle.empty(), "reelgrid::", plan.obstacle);
    at::Tensor workspace;
    if (plan.workspaceBytes > 0) {
        workspace = at::empty({plan.workspaceBytes}, q.options().dtype(at::kByte));
        problem.workspace = workspace.data_ptr();
    }
    plan.attend(problem);
    return attended;
}

}  // namespace reelgrid::operators
