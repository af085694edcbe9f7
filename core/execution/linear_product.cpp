#include "core/execution/linear_product.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/instruction_set.h"

namespace reelgrid::execution {
namespace {

/// For fewer rows widening the weight costs more than it saves.
constexpr std::int64_t kLeastRows = 8;
/// Rows that are widened together: enough for full speed, and a small part of any activation.
constexpr std::int64_t kRowsTogether = 1024;

bool isBf16OnCpu(const at::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == at::kBFloat16;
}

bool isWidened(const at::Tensor& x) {
    return isBf16OnCpu(x) && !kernels::processorFeatures().avx512 && x.numel() >= kLeastRows * x.size(-1);
}

at::Tensor widenedLinear(const at::Tensor& x, const at::Tensor& weight_OI, const at::Tensor& bias_O) {
    const at::Tensor x_NI = x.reshape({-1, x.size(-1)});
    const at::Tensor wide_OI = weight_OI.to(at::kFloat);
    const at::Tensor bias = bias_O.defined() ? bias_O.to(at::kFloat) : bias_O;
    auto shape = x.sizes().vec();
    shape.back() = weight_OI.size(0);
    at::Tensor y = at::empty(shape, x.options());
    const at::Tensor y_NO = y.view({-1, weight_OI.size(0)});
    for (std::int64_t row = 0; row < x_NI.size(0); row += kRowsTogether) {
        const std::int64_t rows = std::min(kRowsTogether, x_NI.size(0) - row);
        y_NO.narrow(0, row, rows).copy_(at::linear(x_NI.narrow(0, row, rows).to(at::kFloat), wide_OI, bias));
    }
    return y;
}

/// oneDNN's own operators, which libtorch's compiled models use too; none in a libtorch without oneDNN.
struct PackedOperators {
    std::optional<c10::OperatorHandle> pack, multiply;
};

const PackedOperators& packedOperators() {
    static const PackedOperators found{
        c10::Dispatcher::singleton().findSchema({"mkldnn::_reorder_linear_weight", ""}),
        c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""})};
    return found;
}

at::Tensor called(const c10::OperatorHandle& which, std::vector<c10::IValue> arguments) {
    which.callBoxed(&arguments);
    return std::move(arguments.front()).toTensor();
}

at::Tensor packedLinear(const at::Tensor& x, const at::Tensor& weight_OI, const at::Tensor& bias_O) {
    const std::string nothingAfter = "none";
    const c10::IValue bias = bias_O.defined() ? c10::IValue(bias_O) : c10::IValue();
    return called(*packedOperators().multiply,
                  {x, weight_OI, bias, nothingAfter, c10::List<std::optional<at::Scalar>>(), c10::IValue()});
}

}  // namespace

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight_OI, const at::Tensor& bias_O) {
    if (weight_OI.is_mkldnn()) return packedLinear(x, weight_OI, bias_O);
    if (isWidened(x)) return widenedLinear(x, weight_OI, bias_O);
    // libtorch rounds the product and the sum with the bias where rows aren't packed.
    return at::linear(isBf16OnCpu(x) ? x.contiguous() : x, weight_OI, bias_O);
}

at::Tensor packedForLinear(const at::Tensor& weight_OI) {
    const bool isPackable = isBf16OnCpu(weight_OI) && kernels::processorFeatures().avx512 &&
                            packedOperators().pack && packedOperators().multiply;
    if (!isPackable) return weight_OI;
    const c10::IValue anyNumberOfRows;
    return called(*packedOperators().pack, {weight_OI, anyNumberOfRows});
}

}  // namespace reelgrid::execution
