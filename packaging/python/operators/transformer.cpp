// What lies between a diffusion transformer's matrix products, and its linear layers in integers.
//
// Shape legend: B batch, N tokens, C channels, D head dim, P pairs of a head, O outputs, I inputs.

#include <torch/library.h>

#include <algorithm>
#include <array>

#include "kernels/cpu/transformer/fused.h"
#include "kernels/cpu/transformer/int8_linear.h"
#include "packaging/python/operators/arguments.h"
#include "packaging/python/operators/gradients.h"

namespace reelgrid::operators {
namespace {

namespace cpu = kernels::transformer;
using OptionalTensor = std::optional<at::Tensor>;
constexpr const char* kTokens = "batch, tokens, channels";

/// Calls with a pointer of the type that the CPU's kernels know.
template <class Run>
void asCpuType(at::ScalarType type, const Run& run) {
    if (type == at::kFloat)
        run(static_cast<float*>(nullptr));
    else
        run(static_cast<cpu::BFloat16*>(nullptr));
}

template <class T>
T* dataOf(const at::Tensor& x) {
    return x.defined() ? static_cast<T*>(x.data_ptr()) : nullptr;
}

/// fp16 is the GPU's alone.
void needsActivations(const Call& call, const char* name, const at::Tensor& x) {
    if (call.isCpu())
        call.needsTensor(name, x, {at::kFloat, at::kBFloat16});
    else
        call.needsTensor(name, x, kFloatTypes);
}

at::Tensor addThenNorm(const at::Tensor& x, const OptionalTensor& y, const OptionalTensor& gate,
                       const OptionalTensor& weight, const OptionalTensor& bias, double eps,
                       std::optional<at::ScalarType> dtype) {
    const Call call("add_then_norm_", x);
    call.needsTensor("x", x, {at::kFloat});
    TORCH_CHECK_VALUE(x.dim() >= 1 && x.numel() > 0, call.op(), ": x is ", sizesOf(x),
                      ", needs [..., channels] with no size 0");
    call.needsContiguous("x", x);
    const std::int64_t channels = x.size(-1);
    const bool adds = y && y->defined();
    at::Tensor added;
    if (adds) {
        needsActivations(call, "y", *y);
        call.needsSizes("y", *y, x.sizes(), "as x");
        TORCH_CHECK_VALUE(!dtype || *dtype == y->scalar_type(), call.op(), ": dtype is ",
                          at::toString(*dtype), ", needs y's ", at::toString(y->scalar_type()), " or None");
        added = y->contiguous();
    }
    const at::Tensor gate_C = call.optionalFloats("gate", gate, {channels}, "channels");
    TORCH_CHECK_VALUE(adds || !gate_C.defined(), call.op(), ": gate without y, needs both or y alone");
    at::Tensor weight_C = call.optionalFloats("weight", weight, {channels}, "channels");
    if (!weight_C.defined()) weight_C = at::ones({channels}, x.options());
    at::Tensor bias_C = call.optionalFloats("bias", bias, {channels}, "channels");
    if (!bias_C.defined()) bias_C = at::zeros({channels}, x.options());
    at::Tensor out =
        at::empty(x.sizes(), x.options().dtype(adds ? added.scalar_type() : dtype.value_or(at::kFloat)));
    needsActivations(call, "dtype", out);
    if (call.isCpu()) {
        const cpu::Rows rows{x.numel() / channels, channels, static_cast<float>(eps)};
        asCpuType(out.scalar_type(), [&]<class T>(T*) {
            cpu::addThenNorm(rows, x.data_ptr<float>(), dataOf<const T>(added), floatsOf(gate_C),
                             floatsOf(weight_C), floatsOf(bias_C), dataOf<T>(out));
        });
        return out;
    }
    call.needsMultiple("the channels of x", channels, 4);
    call.needsAtMost("the channels of x", channels, 16'384);
    call.needsAligned("x", x);
    if (adds) call.needsAligned("y", added);
    call.cuda().addThenNorm({.rows = x.numel() / channels,
                             .channels = channels,
                             .eps = static_cast<float>(eps),
                             .type = kernelTypeOf(out.scalar_type()),
                             .x = x.data_ptr<float>(),
                             .y = dataOf<void>(added),
                             .gate = floatsOf(gate_C),
                             .weight = floatsOf(weight_C),
                             .bias = floatsOf(bias_C),
                             .out = out.data_ptr()},
                            call.stream());
    return out;
}

/// Of [batch, tokens, channels] whose tokens lie at one distance from each other, channels side by side:
/// also a part of the channels of a wider tensor.
void needsRows(const Call& call, const at::Tensor& x) {
    needsActivations(call, "x", x);
    call.needsSizes("x", x, {-1, -1, -1}, kTokens);
    const bool even = (x.size(2) == 1 || x.stride(2) == 1) &&
                      (x.size(0) == 1 || x.stride(0) == x.size(1) * x.stride(1)) &&
                      (x.size(0) * x.size(1) == 1 || x.stride(1) >= x.size(2));
    TORCH_CHECK_VALUE(even, call.op(), ": x has the strides [", x.stride(0), ", ", x.stride(1), ", ",
                      x.stride(2), "] at the sizes ", sizesOf(x),
                      ", needs tokens at one distance and channels side by side: x.contiguous()");
    if (call.isCpu()) return;
    call.needsAligned("x", x);
    call.needsMultiple("the distance of x's tokens", x.stride(1), 8);
}

void rmsNormRotate(const at::Tensor& x, const at::Tensor& weight, const OptionalTensor& cos,
                   const OptionalTensor& sin, double eps) {
    const Call call("rms_norm_rotate_", x);
    needsRows(call, x);
    const std::int64_t channels = x.size(2), tokens = x.size(1);
    const at::Tensor weight_C = call.optionalFloats("weight", weight, {channels}, "channels");
    const at::Tensor cos_NP = call.optionalFloats("cos", cos, {tokens, -1}, "tokens, head dim / 2");
    const at::Tensor sin_NP = call.optionalFloats(
        "sin", sin, {tokens, cos_NP.defined() ? cos_NP.size(1) : -1}, "tokens, head dim / 2");
    TORCH_CHECK_VALUE(cos_NP.defined() == sin_NP.defined(), call.op(), ": ",
                      cos_NP.defined() ? "cos without sin" : "sin without cos", ", needs both or neither");
    const std::int64_t headDim = cos_NP.defined() ? 2 * cos_NP.size(1) : channels;
    if (cos_NP.defined()) call.needsMultiple("the channels of x", channels, headDim);
    const std::int64_t rows = x.size(0) * tokens;
    if (call.isCpu()) {
        const cpu::Rotation rotation =
            cos_NP.defined() ? cpu::Rotation{floatsOf(cos_NP), floatsOf(sin_NP), tokens, headDim}
                             : cpu::Rotation{};
        asCpuType(x.scalar_type(), [&]<class T>(T*) {
            cpu::rmsNormRotate({rows, channels, static_cast<float>(eps)}, dataOf<T>(x), x.stride(1),
                               floatsOf(weight_C), rotation);
        });
        return;
    }
    call.needsMultiple("the channels of x", channels, 8);
    call.needsAtMost("the channels of x", channels, 8192);
    call.needsMultiple("the head dim", headDim, 8);
    kernels::cuda::RmsNormRotate kernel{.rows = rows,
                                        .channels = channels,
                                        .rowStride = x.stride(1),
                                        .eps = static_cast<float>(eps),
                                        .type = kernelTypeOf(x.scalar_type()),
                                        .x = x.data_ptr(),
                                        .weight = floatsOf(weight_C)};
    if (cos_NP.defined()) {
        kernel.cos = floatsOf(cos_NP);
        kernel.sin = floatsOf(sin_NP);
        kernel.tokens = tokens;
        kernel.headDim = headDim;
    }
    call.cuda().rmsNormRotate(kernel, call.stream());
}

void headNormRotate(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                    const OptionalTensor& rotary, double eps) {
    const Call call("head_norm_rotate_", x);
    needsRows(call, x);
    const at::Tensor weight_D = call.optionalFloats("weight", weight, {-1}, "head dim");
    const std::int64_t headDim = weight_D.size(0), channels = x.size(2), tokens = x.size(1);
    const at::Tensor bias_D = call.optionalFloats("bias", bias, {headDim}, "head dim");
    call.needsMultiple("the head dim (of weight)", headDim, 2);
    call.needsMultiple("the channels of x", channels, headDim);
    const at::Tensor rotary_NP2 =
        call.optionalFloats("rotary", rotary, {-1, headDim / 2, 2}, "tokens, head dim / 2, cos and sin");
    const std::int64_t first = tokens - (rotary_NP2.defined() ? rotary_NP2.size(0) : 0);
    TORCH_CHECK_VALUE(first >= 0, call.op(), ": rotary is ", sizesOf(rotary_NP2), ", needs at most x's ",
                      tokens, " tokens, the last ones");
    const std::int64_t rows = x.size(0) * tokens;
    if (call.isCpu()) {
        const cpu::PairRotation rotation = rotary_NP2.defined()
                                               ? cpu::PairRotation{floatsOf(rotary_NP2), tokens, first}
                                               : cpu::PairRotation{};
        asCpuType(x.scalar_type(), [&]<class T>(T*) {
            cpu::headNormRotate({rows, channels, static_cast<float>(eps)}, dataOf<T>(x), x.stride(1), headDim,
                                floatsOf(weight_D), floatsOf(bias_D), rotation);
        });
        return;
    }
    constexpr std::array<std::int64_t, 4> kHeadDims{16, 32, 64, 128};
    TORCH_CHECK_VALUE(std::ranges::find(kHeadDims, headDim) != kHeadDims.end(), call.op(),
                      ": the head dim is ", headDim, ", needs 16, 32, 64 or 128 on ", x.device());
    call.cuda().headNormRotate({.rows = rows,
                                .channels = channels,
                                .rowStride = x.stride(1),
                                .headDim = headDim,
                                .eps = static_cast<float>(eps),
                                .type = kernelTypeOf(x.scalar_type()),
                                .x = x.data_ptr(),
                                .weight = floatsOf(weight_D),
                                .bias = floatsOf(bias_D),
                                .rotary = floatsOf(rotary_NP2),
                                .tokens = tokens,
                                .firstRotated = first},
                               call.stream());
}

void geluTanh(const at::Tensor& x) {
    const Call call("gelu_tanh_", x);
    needsActivations(call, "x", x);
    call.needsContiguous("x", x);
    asCpuType(x.scalar_type(), [&]<class T>(T*) { cpu::geluTanh(dataOf<T>(x), x.numel()); });
}

std::int64_t blocksOf(std::int64_t extent) {
    return (extent + cpu::kInt8Block - 1) / cpu::kInt8Block;
}

std::tuple<at::Tensor, at::Tensor> int8Quantise(const at::Tensor& x) {
    const Call call("int8_quantise", x);
    call.needsTensor("x", x, {at::kFloat});
    call.needsSizes("x", x, {-1, -1}, "rows, columns");
    at::Tensor integers = at::empty(x.sizes(), x.options().dtype(at::kChar));
    at::Tensor scales = at::empty({blocksOf(x.size(0)), blocksOf(x.size(1))}, x.options());
    cpu::quantiseInt8(x.size(0), x.size(1), x.contiguous().const_data_ptr<float>(),
                      integers.mutable_data_ptr<std::int8_t>(), scales.mutable_data_ptr<float>());
    return {integers, scales};
}

at::Tensor int8Pack(const at::Tensor& integers) {
    const Call call("int8_pack", integers);
    call.needsTensor("integers", integers, {at::kChar});
    call.needsSizes("integers", integers, {-1, -1}, "outputs, inputs");
    const std::int64_t outputs = integers.size(0), inputs = integers.size(1);
    at::Tensor packed =
        at::empty({cpu::int8PackedBytes(outputs, inputs)}, integers.options().dtype(at::kByte));
    cpu::packInt8(outputs, inputs, integers.contiguous().const_data_ptr<std::int8_t>(),
                  packed.mutable_data_ptr<std::uint8_t>());
    return packed;
}

at::Tensor int8Linear(const at::Tensor& x, const at::Tensor& packed, const at::Tensor& scales,
                      std::int64_t outputs, const OptionalTensor& bias) {
    const Call call("int8_linear", x);
    needsActivations(call, "x", x);
    TORCH_CHECK_VALUE(x.dim() >= 1 && x.numel() > 0, call.op(), ": x is ", sizesOf(x),
                      ", needs [..., inputs] with no size 0");
    TORCH_CHECK_VALUE(outputs > 0, call.op(), ": outputs: ", outputs, ", needs one above 0");
    const std::int64_t inputs = x.size(-1), rows = x.numel() / inputs;
    call.needsTensor("packed", packed, {at::kByte});
    call.needsSizes("packed", packed, {cpu::int8PackedBytes(outputs, inputs)},
                    "bytes that int8_pack gives for these outputs and x's inputs");
    call.needsContiguous("packed", packed);
    const at::Tensor scales_OI = call.optionalFloats("scales", scales, {blocksOf(outputs), blocksOf(inputs)},
                                                     "blocks of outputs, of inputs");
    const at::Tensor bias_O = call.optionalFloats("bias", bias, {outputs}, "outputs");
    // As the kernel reads them: a scale for each output, padding too.
    at::Tensor wide_IO = at::zeros({blocksOf(inputs), cpu::int8PaddedOutputs(outputs)}, scales_OI.options());
    const at::Tensor each_OI = scales_OI.repeat_interleave(cpu::kInt8Block, 0).narrow(0, 0, outputs);
    wide_IO.narrow(1, 0, outputs).copy_(each_OI.t());
    const at::Tensor dense = x.contiguous();
    auto sizes = x.sizes().vec();
    sizes.back() = outputs;
    at::Tensor y = at::empty(sizes, x.options());
    const cpu::Int8Weight weight{.outputs = outputs,
                                 .inputs = inputs,
                                 .packed = packed.const_data_ptr<std::uint8_t>(),
                                 .scales = wide_IO.const_data_ptr<float>()};
    asCpuType(x.scalar_type(), [&]<class T>(T*) {
        cpu::int8Linear(weight, rows, static_cast<const T*>(dense.const_data_ptr()), floatsOf(bias_O),
                        dataOf<T>(y));
    });
    return y;
}

void implementNorms(torch::Library& m) {
    m.impl("add_then_norm_", TORCH_FN(addThenNorm));
    m.impl("rms_norm_rotate_", TORCH_FN(rmsNormRotate));
    m.impl("head_norm_rotate_", TORCH_FN(headNormRotate));
}

}  // namespace

TORCH_LIBRARY_FRAGMENT(reelgrid, m) {
    for (const char* schema :
         {"add_then_norm_(Tensor(a!) x, Tensor? y=None, Tensor? gate=None, *, Tensor? weight=None, Tensor? "
          "bias=None, float eps=1e-6, ScalarType? dtype=None) -> Tensor",
          "rms_norm_rotate_(Tensor(a!) x, Tensor weight, Tensor? cos=None, Tensor? sin=None, *, float "
          "eps=1e-6) -> ()",
          "head_norm_rotate_(Tensor(a!) x, Tensor weight, Tensor bias, Tensor? rotary=None, *, float "
          "eps=1e-6) "
          "-> ()",
          "gelu_tanh_(Tensor(a!) x) -> ()", "int8_quantise(Tensor x) -> (Tensor, Tensor)",
          "int8_pack(Tensor integers) -> Tensor",
          "int8_linear(Tensor x, Tensor packed, Tensor scales, int outputs, Tensor? bias=None) -> Tensor"})
        m.def(schema, {at::Tag::pt2_compliant_tag});
}

TORCH_LIBRARY_IMPL(reelgrid, CPU, m) {
    implementNorms(m);
    m.impl("gelu_tanh_", TORCH_FN(geluTanh));
    m.impl("int8_quantise", TORCH_FN(int8Quantise));
    m.impl("int8_pack", TORCH_FN(int8Pack));
    m.impl("int8_linear", TORCH_FN(int8Linear));
}

TORCH_LIBRARY_IMPL(reelgrid, CUDA, m) {
    implementNorms(m);
}

TORCH_LIBRARY_IMPL(reelgrid, Autograd, m) {
    refuseGradients(m, {"add_then_norm_", "rms_norm_rotate_", "head_norm_rotate_", "gelu_tanh_",
                        "int8_quantise", "int8_pack", "int8_linear"});
}

}  // namespace reelgrid::operators
