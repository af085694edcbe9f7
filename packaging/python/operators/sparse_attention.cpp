// Attention over a part of the blocks of keys by each of the methods.

#include <torch/library.h>

#include <cstdio>
#include <string>
#include <utility>

#include "packaging/python/operators/attention_call.h"
#include "packaging/python/operators/gradients.h"

namespace reelgrid::operators {
namespace {

using kernels::Method;

/// With all its digits.
std::string textOf(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", number);
    return text;
}

std::string textOf(const char* op, const char* name, at::IntArrayRef numbers) {
    TORCH_CHECK_VALUE(numbers.size() == 3, "reelgrid::", op, ": ", name, " has ", numbers.size(),
                      " numbers, needs 3 (frames, rows, columns)");
    return std::to_string(numbers[0]) + "," + std::to_string(numbers[1]) + "," + std::to_string(numbers[2]);
}

/// `grid`: frames, rows and columns of the clip's tokens.
kernels::TokenGrid gridOf(const char* op, at::IntArrayRef grid, std::int64_t textBefore,
                          std::int64_t textAfter) {
    constexpr std::int64_t kMost = std::int64_t{1} << 20;  // so that no product overflows
    const std::string text = textOf(op, "grid", grid);
    for (const std::int64_t extent : grid)
        TORCH_CHECK_VALUE(extent >= 1 && extent <= kMost, "reelgrid::", op, ": grid ", text, ", needs 1 to ",
                          kMost, " of each");
    for (const auto& [name, tokens] : {std::pair{"text_before", textBefore}, {"text_after", textAfter}})
        TORCH_CHECK_VALUE(tokens >= 0 && tokens <= kMost, "reelgrid::", op, ": ", name, " ", tokens,
                          ", needs 0 to ", kMost);
    return {.frames = grid[0],
            .rows = grid[1],
            .columns = grid[2],
            .textBefore = textBefore,
            .textAfter = textAfter};
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

at::Tensor sparge(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double simthreshd1,
                  double cdfthreshd, double pvthreshd, std::optional<double> scale) {
    return attend(Method::Sparge, q, k, v,
                  {.scale = scale,
                   .ofBackend = {{"simthreshd1", textOf(simthreshd1)},
                                 {"cdfthreshd", textOf(cdfthreshd)},
                                 {"pvthreshd", textOf(pvthreshd)}}})
        .out_BHND;
}

at::Tensor sta(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, at::IntArrayRef grid,
               at::IntArrayRef tile, at::IntArrayRef window, std::int64_t textBefore, std::int64_t textAfter,
               std::optional<double> scale) {
    return attend(Method::SlidingTile, q, k, v,
                  {.scale = scale,
                   .grid = gridOf("sta", grid, textBefore, textAfter),
                   .ofBackend = {{"tile", textOf("sta", "tile", tile)},
                                 {"window", textOf("sta", "window", window)}}})
        .out_BHND;
}

at::Tensor radial(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, at::IntArrayRef grid,
                  double decay, std::int64_t textBefore, std::int64_t textAfter,
                  std::optional<double> scale) {
    return attend(Method::Radial, q, k, v,
                  {.scale = scale,
                   .grid = gridOf("radial", grid, textBefore, textAfter),
                   .ofBackend = {{"decay", textOf(decay)}}})
        .out_BHND;
}

void implement(torch::Library& m) {
    m.impl("sla", TORCH_FN(sla));
    m.impl("sagesla", TORCH_FN(sagesla));
    m.impl("sparge", TORCH_FN(sparge));
    m.impl("sta", TORCH_FN(sta));
    m.impl("radial", TORCH_FN(radial));
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(reelgrid, m) {
    const auto define = [&m](const std::string& schema) {
        m.def(schema.c_str(), {at::Tag::pt2_compliant_tag});
    };
    const std::string tensors = "(Tensor q, Tensor k, Tensor v, *, ";
    const std::string linear =
        tensors + "float topk=0.1, Tensor? proj_weight=None, Tensor? proj_bias=None, float? scale=None";
    define("sla" + linear + ") -> Tensor");
    define("sagesla" + linear + ", bool smooth_k=True) -> Tensor");
    define("sparge" + tensors +
           "float simthreshd1=0.6, float cdfthreshd=0.98, float pvthreshd=50, float? scale=None) -> Tensor");
    const std::string text = "int text_before=0, int text_after=0, float? scale=None) -> Tensor";
    define("sta" + tensors + "int[] grid, int[] tile=[4, 4, 4], int[] window=[3, 3, 3], " + text);
    define("radial" + tensors + "int[] grid, float decay=1., " + text);
}

TORCH_LIBRARY_IMPL(reelgrid, CPU, m) {
    implement(m);
}

TORCH_LIBRARY_IMPL(reelgrid, CUDA, m) {
    implement(m);
}

TORCH_LIBRARY_IMPL(reelgrid, Autograd, m) {
    refuseGradients(m, {"sla", "sagesla", "sparge", "sta", "radial"});
}

}  // namespace reelgrid::operators
