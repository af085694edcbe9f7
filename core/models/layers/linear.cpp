#include "core/models/layers/linear.h"

#include "core/execution/kernel_arguments.h"
#include "core/execution/trace_range.h"
#include "core/models/layers/norms.h"
#include "core/weights/int8_blocks.h"
#include "kernels/cpu/transformer/int8_linear.h"
#include "kernels/cuda/library.h"

namespace reelgrid::models {
namespace {

constexpr double kLargest = 448;  // of e4m3
/// What a GPU's products of e4m3 need of both sides of a matrix.
constexpr std::int64_t kMultiple = 16;

struct Fp8Rows {
    at::Tensor values;     ///< e4m3
    at::Tensor scales_N1;  ///< fp32
};

/// Each row by itself, as kernels/cuda/library.h's RowsToFp8 does it.
Fp8Rows toFp8(const at::Tensor& x_NC) {
    const at::Tensor x = x_NC.to(at::kFloat);
    const at::Tensor most = x.abs().amax(-1, true);
    const at::Tensor scales =
        at::where(most > 0, most * (1.0F / static_cast<float>(kLargest)), at::ones_like(most));
    return {(x * scales.reciprocal()).clamp_(-kLargest, kLargest).to(at::kFloat8_e4m3fn), scales};
}

Fp8Rows toFp8OnGpu(const at::Tensor& x_NC, kernels::cuda::Activation activation) {
    Fp8Rows rows{at::empty(x_NC.sizes(), x_NC.options().dtype(at::kFloat8_e4m3fn)),
                 at::empty({x_NC.size(0), 1}, x_NC.options().dtype(at::kFloat))};
    kernels::cuda::library()->rowsToFp8({.rows = x_NC.size(0),
                                         .channels = x_NC.size(1),
                                         .type = *execution::kernelTypeOf(x_NC.scalar_type()),
                                         .x = x_NC.const_data_ptr(),
                                         .activation = activation,
                                         .out = rows.values.data_ptr(),
                                         .scales = rows.scales_N1.data_ptr<float>()},
                                        execution::streamOf(x_NC));
    return rows;
}

namespace cpu = kernels::transformer;

/// Each block of a weight [out, in], without a checkpoint's integers.
StoredInt8 toInt8(const at::Tensor& weight_OI) {
    const at::Tensor x = weight_OI.to(at::kFloat).cpu().contiguous();
    StoredInt8 made{at::empty(x.sizes(), at::kChar),
                    at::empty({weights::int8BlocksOf(x.size(0)), weights::int8BlocksOf(x.size(1))})};
    cpu::quantiseInt8(x.size(0), x.size(1), x.const_data_ptr<float>(),
                      made.integers_OI.data_ptr<std::int8_t>(), made.scales.data_ptr<float>());
    return made;
}

/// Whether a GPU's products take the layer: its weights' blocks are those of one matrix.
bool fitsInt8OnGpu(const Linear& linear) {
    if (!multipliesInt8(linear.weight.device(), linear.weight.scalar_type())) return false;
    for (std::size_t i = 0; i + 1 < linear.stored.size(); ++i)
        if (linear.stored[i].integers_OI.size(0) % weights::kInt8Block != 0) return false;
    return linear.weight.size(1) % kMultiple == 0 && linear.weight.size(0) % 8 == 0;
}

/// Scales of the rows of several weights, one below the other: [⌈in / 128⌉, `padded`].
at::Tensor scalesOfOutputs(const std::vector<StoredInt8>& parts, std::int64_t blocks, std::int64_t padded) {
    at::Tensor scales_KO = at::zeros({blocks, padded}, at::kFloat);
    std::int64_t first = 0;
    for (const StoredInt8& part : parts) {
        const std::int64_t out = part.integers_OI.size(0);
        scales_KO.narrow(1, first, out)
            .copy_(
                part.scales.to(at::kFloat).repeat_interleave(weights::kInt8Block, 0).narrow(0, 0, out).t());
        first += out;
    }
    return scales_KO;
}

at::Tensor integersOf(const std::vector<StoredInt8>& parts) {
    std::vector<at::Tensor> integers;
    for (const StoredInt8& part : parts) integers.push_back(part.integers_OI);
    return at::cat(integers).contiguous();
}

/// x_NC as if its blocks had been rounded to int8 and multiplied by their scales again.
at::Tensor roundedToInt8(const at::Tensor& x_NC) {
    constexpr std::int64_t kBlock = weights::kInt8Block;
    const std::int64_t n = x_NC.size(0), c = x_NC.size(1);
    const std::int64_t down = weights::int8BlocksOf(n), across = weights::int8BlocksOf(c);
    const at::Tensor blocks =
        at::constant_pad_nd(x_NC.to(at::kFloat), {0, across * kBlock - c, 0, down * kBlock - n})
            .view({down, kBlock, across, kBlock});
    const at::Tensor most = blocks.abs().amax({1, 3}, true).clamp_min(1e-8);
    const at::Tensor rounded = (blocks * (128 / most)).round_().clamp_(-128, 127).mul_(most / 128);
    return rounded.view({down * kBlock, across * kBlock})
        .narrow(0, 0, n)
        .narrow(1, 0, c)
        .to(x_NC.scalar_type());
}

}  // namespace

Linear Linear::load(const weights::WeightScope& scope, std::int64_t in, std::int64_t out) {
    Linear linear{scope("weight", {out, in}), scope("bias", {out})};
    // A recording of what a model asks for has no integers.
    if (!linear.weight.is_meta() && scope.has("int8_weight"))
        linear.stored.push_back(
            {scope.int8("int8_weight", {out, in}),
             scope.stored("scale", {weights::int8BlocksOf(out), weights::int8BlocksOf(in)})});
    return linear;
}

bool multipliesInt8(at::Device device, at::ScalarType dtype) {
    return device.is_cpu() ||
           (device.is_cuda() && dtype != at::kFloat && kernels::cuda::library() != nullptr &&
            kernels::cuda::library()->multipliesInt8());
}

bool multipliesFp8(at::Device device) {
    return device.is_cuda() && kernels::cuda::library() != nullptr &&
           kernels::cuda::library()->multipliesFp8();
}

void Linear::roundToFp8() {
    if (!weight.defined() || scale_O.defined()) return;
    if (weight.is_meta()) {
        scale_O = at::empty({weight.size(0)}, weight.options().dtype(at::kFloat));
        return;
    }
    const bool asFp8 =
        multipliesFp8(weight.device()) && weight.size(0) % kMultiple == 0 && weight.size(1) % kMultiple == 0;
    const Fp8Rows rows = toFp8(weight);
    scale_O = rows.scales_N1.flatten();
    weight = asFp8 ? rows.values : rows.values.to(weight.scalar_type());
}

at::Tensor Linear::fp8Product(const at::Tensor& x, Before before) const {
    auto shape = x.sizes().vec();
    shape.back() = weight.size(0);
    at::Tensor x_NC = x.reshape({-1, x.size(-1)}).contiguous();
    if (weight.scalar_type() == at::kFloat8_e4m3fn) {
        const Fp8Rows rows = toFp8OnGpu(x_NC, before == Before::GeluTanh ? kernels::cuda::Activation::GeluTanh
                                                                         : kernels::cuda::Activation::None);
        // Sums in fp32 throughout are half as fast, and no closer than the rounding of the factors.
        constexpr bool kFastSums = true;
        const bool isBf16 = x.scalar_type() == at::kBFloat16;
        const at::Tensor y_NO =
            at::_scaled_mm(rows.values, weight.t(), rows.scales_N1, scale_O.unsqueeze(0),
                           isBf16 ? std::optional(bias) : std::nullopt, {}, at::kBFloat16, kFastSums);
        return (isBf16 ? y_NO : y_NO.to(x.scalar_type()) + bias).view(shape);
    }
    if (before == Before::GeluTanh) {
        x_NC = x_NC.clone();
        geluTanhInPlace(x_NC);
    }
    const Fp8Rows rows = toFp8(x_NC);
    const at::Tensor y_NO = execution::linear(rows.values.to(x.scalar_type()), weight).to(at::kFloat);
    return (y_NO * rows.scales_N1 * scale_O + bias).to(x.scalar_type()).view(shape);
}

void Linear::roundToInt8() {
    if (!weight.defined() || isInt8() || roundsInputs) return;
    const std::int64_t out = weight.size(0), in = weight.size(1);
    const std::int64_t blocks = weights::int8BlocksOf(in), padded = cpu::int8PaddedOutputs(out);
    if (weight.is_meta()) {
        weight = at::empty({cpu::int8PackedBytes(out, in)}, weight.options().dtype(at::kByte));
        blockScales_KO = at::empty({blocks, padded}, weight.options().dtype(at::kFloat));
        return;
    }
    if (stored.empty()) stored.push_back(toInt8(weight));
    if (weight.is_cuda() && fitsInt8OnGpu(*this)) {
        std::vector<at::Tensor> scales;
        for (const StoredInt8& part : stored) scales.push_back(part.scales.to(at::kFloat));
        blockScales_OK = at::cat(scales).contiguous().to(weight.device());
        weight = integersOf(stored).to(weight.device());
        bias = bias.to(at::kFloat).contiguous();
        stored.clear();
        return;
    }
    if (!weight.is_cpu()) {
        std::vector<at::Tensor> rounded;
        for (const StoredInt8& part : stored)
            rounded.push_back(weights::ofInt8Blocks(part.integers_OI, part.scales));
        weight = at::cat(rounded).to(weight.options());
        roundsInputs = true;
        stored.clear();
        return;
    }
    const at::Tensor integers_OI = integersOf(stored);
    blockScales_KO = scalesOfOutputs(stored, blocks, padded);
    weight = at::empty({cpu::int8PackedBytes(out, in)}, at::kByte);
    cpu::packInt8(out, in, integers_OI.const_data_ptr<std::int8_t>(), weight.data_ptr<std::uint8_t>());
    bias = bias.to(at::kFloat).contiguous();
    stored.clear();
}

at::Tensor Linear::int8ProductOnGpu(const at::Tensor& x_NC, Before before) const {
    namespace cuda = kernels::cuda;
    const std::int64_t rows = x_NC.size(0), in = x_NC.size(1), out = weight.size(0);
    // fp32 tokens give bf16 products: no layer of a model in sixteen bits has them between its blocks.
    const bool isHalf = x_NC.scalar_type() == at::kHalf;
    const at::Tensor integers = at::empty({rows, in}, x_NC.options().dtype(at::kChar)),
                     scales = at::empty({weights::int8BlocksOf(rows), weights::int8BlocksOf(in)},
                                        x_NC.options().dtype(at::kFloat));
    const at::Tensor y_NO = at::empty({rows, out}, x_NC.options().dtype(isHalf ? at::kHalf : at::kBFloat16));
    cuda::library()->blocksToInt8(
        {.rows = rows,
         .channels = in,
         .type = *execution::kernelTypeOf(x_NC.scalar_type()),
         .x = x_NC.const_data_ptr(),
         .activation = before == Before::GeluTanh ? cuda::Activation::GeluTanh : cuda::Activation::None,
         .out = integers.data_ptr(),
         .scales = scales.data_ptr<float>()},
        execution::streamOf(x_NC));
    cuda::library()->int8Product({.rows = rows,
                                  .inputs = in,
                                  .outputs = out,
                                  .type = isHalf ? kernels::DataType::Float16 : kernels::DataType::BFloat16,
                                  .x = integers.const_data_ptr(),
                                  .xScales = scales.const_data_ptr<float>(),
                                  .weight = weight.const_data_ptr(),
                                  .weightScales = blockScales_OK.const_data_ptr<float>(),
                                  .bias = bias.const_data_ptr<float>(),
                                  .out = y_NO.data_ptr()},
                                 execution::streamOf(x_NC));
    return y_NO.to(x_NC.scalar_type());
}

at::Tensor Linear::int8Product(const at::Tensor& x, Before before) const {
    const execution::TraceRange range([] { return "reelgrid::int8_linear"; }, {x}, at::RecordScope::FUNCTION);
    const at::Tensor x_NC = x.reshape({-1, x.size(-1)}).contiguous();
    auto shape = x.sizes().vec();
    shape.back() = bias.size(0);
    if (blockScales_OK.defined()) return int8ProductOnGpu(x_NC, before).view(shape);
    if (roundsInputs) return execution::linear(roundedToInt8(x_NC), weight, bias).view(shape);
    const cpu::Int8Weight packed{.outputs = bias.size(0),
                                 .inputs = x.size(-1),
                                 .packed = weight.const_data_ptr<std::uint8_t>(),
                                 .scales = blockScales_KO.const_data_ptr<float>()};
    const auto* bias_O = bias.const_data_ptr<float>();
    at::Tensor y = at::empty(shape, x.options());
    if (x.scalar_type() == at::kBFloat16) {
        cpu::int8Linear(packed, x_NC.size(0), static_cast<const cpu::BFloat16*>(x_NC.const_data_ptr()),
                        bias_O, static_cast<cpu::BFloat16*>(y.data_ptr()));
        return y;
    }
    const at::Tensor wide_NC = x_NC.to(at::kFloat);
    at::Tensor wide = at::empty(shape, x.options().dtype(at::kFloat));
    cpu::int8Linear(packed, wide_NC.size(0), wide_NC.const_data_ptr<float>(), bias_O, wide.data_ptr<float>());
    return wide.to(x.scalar_type());
}

}  // namespace reelgrid::models
