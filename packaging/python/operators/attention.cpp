// Attention over all keys by each of the methods.

#include <torch/library.h>

#include <string>
#include <tuple>

#include "packaging/python/operators/attention_call.h"
#include "packaging/python/operators/gradients.h"

namespace reelgrid::operators {
namespace {

using kernels::Method;

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

void implement(torch::Library& m) {
    m.impl("fav2", TORCH_FN(dense<Method::Flash>));
    m.impl("fav3", TORCH_FN(dense<Method::Flash3>));
    m.impl("fav3_fp8", TORCH_FN(dense<Method::Flash3Fp8>));
    m.impl("sagev1", TORCH_FN(smoothed<Method::Sage1>));
    m.impl("sagev2", TORCH_FN(smoothed<Method::Sage2>));
    m.impl("fav3_sage", TORCH_FN(smoothed<Method::Flash3Sage>));
    m.impl("fav2_with_lse", TORCH_FN(denseWithLse<Method::Flash>));
    m.impl("fav3_with_lse", TORCH_FN(denseWithLse<Method::Flash3>));
    m.impl("fav3_fp8_with_lse", TORCH_FN(denseWithLse<Method::Flash3Fp8>));
    m.impl("sagev1_with_lse", TORCH_FN(smoothedWithLse<Method::Sage1>));
    m.impl("sagev2_with_lse", TORCH_FN(smoothedWithLse<Method::Sage2>));
    m.impl("fav3_sage_with_lse", TORCH_FN(smoothedWithLse<Method::Flash3Sage>));
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(reelgrid, m) {
    const auto define = [&m](const std::string& schema) {
        m.def(schema.c_str(), {at::Tag::pt2_compliant_tag});
    };
    const std::string arguments =
        "(Tensor q, Tensor k, Tensor v, *, float? scale=None, bool is_causal=False, Tensor? key_bias=None";
    for (const std::string name : {"fav2", "fav3", "fav3_fp8"}) {
        define(name + arguments + ") -> Tensor");
        define(name + "_with_lse" + arguments + ") -> (Tensor, Tensor)");
    }
    for (const std::string name : {"sagev1", "sagev2", "fav3_sage"}) {
        define(name + arguments + ", bool smooth_k=True) -> Tensor");
        define(name + "_with_lse" + arguments + ", bool smooth_k=True) -> (Tensor, Tensor)");
    }
}

TORCH_LIBRARY_IMPL(reelgrid, CPU, m) {
    implement(m);
}

TORCH_LIBRARY_IMPL(reelgrid, CUDA, m) {
    implement(m);
}

TORCH_LIBRARY_IMPL(reelgrid, Autograd, m) {
    refuseGradients(
        m, {"fav2", "fav3", "fav3_fp8", "sagev1", "sagev2", "fav3_sage", "fav2_with_lse", "fav3_with_lse",
            "fav3_fp8_with_lse", "sagev1_with_lse", "sagev2_with_lse", "fav3_sage_with_lse"});
}

}  // namespace reelgrid::operators
