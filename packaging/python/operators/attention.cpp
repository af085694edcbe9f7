// Attention by each of the methods, as kernels/backends/backend_list.cpp describes them.
//
// Shape legend: B batch, H query heads, G key heads, N queries, M keys, D head dim.

#include <ATen/Parallel.h>
#include <torch/library.h>

#include <cmath>
#include <tuple>

#include "kernels/backends/backend_list.h"
#include "packaging/python/operators/arguments.h"
#include "packaging/python/operators/gradients.h"

namespace reelgrid::operators {
namespace {

using kernels::Method;
using OptionalTensor = std::optional<at::Tensor>;

/// What a call may have beyond q, k and v.
struct Options {
    std::optional<double> scale{};
    bool isCausal = false;
    OptionalTensor keyBias{};
    bool smoothsKeys = true;
    double topk = 1;
    OptionalTensor projWeight{}, projBias{};
    bool wantsLse = false;
};

struct Attended {
    at::Tensor out_BHND, lse_BHN;
};

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

Attended attend(Method method, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                const Options& options) {
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
        .context = {}};
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

// One function a schema below; what a schema lacks keeps its default.

template <Method method>
at::Tensor dense(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, std::optional<double> scale,
                 bool isCausal, const OptionalTensor& keyBias) {
    return attend(method, q, k, v, {.scale = scale, .isCausal = isCausal, .keyBias = keyBias}).out_BHND;
}

template <Method method>
std::tuple<at::Tensor, at::Tensor> denseWithLse(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                                std::optional<double> scale, bool isCausal,
                                                const OptionalTensor& keyBias) {
    const Attended attended =
        attend(method, q, k, v, {.scale = scale, .isCausal = isCausal, .keyBias = keyBias, .wantsLse = true});
    return {attended.out_BHND, attended.lse_BHN};
}

template <Method method>
at::Tensor smoothed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                    std::optional<double> scale, bool isCausal, const OptionalTensor& keyBias,
                    bool smoothsKeys) {
    return attend(method, q, k, v,
                  {.scale = scale, .isCausal = isCausal, .keyBias = keyBias, .smoothsKeys = smoothsKeys})
        .out_BHND;
}

template <Method method>
std::tuple<at::Tensor, at::Tensor> smoothedWithLse(const at::Tensor& q, const at::Tensor& k,
                                                   const at::Tensor& v, std::optional<double> scale,
                                                   bool isCausal, const OptionalTensor& keyBias,
                                                   bool smoothsKeys) {
    const Attended attended = attend(method, q, k, v,
                                     {.scale = scale,
                                      .isCausal = isCausal,
                                      .keyBias = keyBias,
                                      .smoothsKeys = smoothsKeys,
                                      .wantsLse = true});
    return {attended.out_BHND, attended.lse_BHN};
}

at::Tensor sla(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double topk,
               const OptionalTensor& projWeight, const OptionalTensor& projBias,
               std::optional<double> scale) {
    return attend(Method::SparseLinear, q, k, v,
                  {.scale = scale, .topk = topk, .projWeight = projWeight, .projBias = projBias})
        .out_BHND;
}

at::Tensor sagesla(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double topk,
                   const OptionalTensor& projWeight, const OptionalTensor& projBias,
                   std::optional<double> scale, bool smoothsKeys) {
    return attend(Method::SageSparseLinear, q, k, v,
                  {.scale = scale,
                   .smoothsKeys = smoothsKeys,
                   .topk = topk,
                   .projWeight = projWeight,
                   .projBias = projBias})
        .out_BHND;
}

void implementAttention(torch::Library& m) {
    m.impl("fav2", TORCH_FN(dense<Method::Flash>));
    m.impl("fav3", TORCH_FN(dense<Method::Flash3>));
    m.impl("fav3_fp8", TORCH_FN(dense<Method::Flash3Fp8>));
    m.impl("sagev1", TORCH_FN(smoothed<Method::Sage1>));
    m.impl("fav3_sage", TORCH_FN(smoothed<Method::Flash3Sage>));
    m.impl("fav2_with_lse", TORCH_FN(denseWithLse<Method::Flash>));
    m.impl("fav3_with_lse", TORCH_FN(denseWithLse<Method::Flash3>));
    m.impl("fav3_fp8_with_lse", TORCH_FN(denseWithLse<Method::Flash3Fp8>));
    m.impl("sagev1_with_lse", TORCH_FN(smoothedWithLse<Method::Sage1>));
    m.impl("fav3_sage_with_lse", TORCH_FN(smoothedWithLse<Method::Flash3Sage>));
    m.impl("sla", TORCH_FN(sla));
    m.impl("sagesla", TORCH_FN(sagesla));
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(reelgrid, m) {
    const auto define = [&m](const std::string& schema) {
        m.def(schema.c_str(), {at::Tag::pt2_compliant_tag});
    };
    const std::string tensors = "(Tensor q, Tensor k, Tensor v, *, ";
    const std::string dense = tensors + "float? scale=None, bool is_causal=False, Tensor? key_bias=None";
    for (const std::string name : {"fav2", "fav3", "fav3_fp8"}) {
        define(name + dense + ") -> Tensor");
        define(name + "_with_lse" + dense + ") -> (Tensor, Tensor)");
    }
    for (const std::string name : {"sagev1", "fav3_sage"}) {
        define(name + dense + ", bool smooth_k=True) -> Tensor");
        define(name + "_with_lse" + dense + ", bool smooth_k=True) -> (Tensor, Tensor)");
    }
    const std::string sparse =
        tensors + "float topk=0.1, Tensor? proj_weight=None, Tensor? proj_bias=None, float? scale=None";
    define("sla" + sparse + ") -> Tensor");
    define("sagesla" + sparse + ", bool smooth_k=True) -> Tensor");
}

TORCH_LIBRARY_IMPL(reelgrid, CPU, m) {
    implementAttention(m);
}

TORCH_LIBRARY_IMPL(reelgrid, CUDA, m) {
    implementAttention(m);
}

TORCH_LIBRARY_IMPL(reelgrid, Autograd, m) {
    refuseGradients(m, {"fav2", "fav3", "fav3_fp8", "sagev1", "fav3_sage", "fav2_with_lse", "fav3_with_lse",
                        "fav3_fp8_with_lse", "sagev1_with_lse", "fav3_sage_with_lse", "sla", "sagesla"});
}

}  // namespace reelgrid::operators
