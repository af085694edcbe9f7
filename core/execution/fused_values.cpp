#include "core/execution/fused_values.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <optional>

#include "core/execution/kernel_arguments.h"
#include "kernels/cuda/library.h"

namespace reelgrid::execution {
namespace {

using kernels::ValueOperation;
using kernels::ValueProgram;

thread_local FusedValues::Way t_way = FusedValues::Way::OnePass;
thread_local std::int64_t t_bytesMoved = 0;

/// What a tensor's value i is of those of `shape`; nothing where the kernels can't say. One that broadcasts
/// may differ along neighbouring dimensions alone.
std::optional<ValueProgram::Input> inputOf(const at::Tensor& x, at::IntArrayRef shape) {
    if (x.scalar_type() != at::kFloat || !x.is_contiguous()) return std::nullopt;
    ValueProgram::Input input{.values = x.const_data_ptr<float>()};
    if (x.sizes() == shape) return input;
    const std::int64_t missing = std::ssize(shape) - x.dim();
    if (missing < 0) return std::nullopt;
    input.count = x.numel();
    // From the last dimension on: those along which it stays the same, those along which it differs.
    std::int64_t dim = std::ssize(shape) - 1;
    const auto sizeAt = [&](std::int64_t at) { return at < missing ? 1 : x.size(at - missing); };
    for (; dim >= 0 && sizeAt(dim) == 1; --dim) input.each *= shape[static_cast<std::size_t>(dim)];
    for (; dim >= 0 && sizeAt(dim) == shape[static_cast<std::size_t>(dim)] && sizeAt(dim) > 1; --dim) {
    }
    for (; dim >= 0; --dim)
        if (sizeAt(dim) != 1) return std::nullopt;
    return input;
}

std::vector<std::int64_t> shapeOf(const std::vector<at::Tensor>& inputs) {
    std::vector<std::int64_t> shape = inputs.front().sizes().vec();
    for (const at::Tensor& input : inputs) shape = at::infer_size(shape, input.sizes());
    return shape;
}

at::Tensor computed(ValueOperation operation, const at::Tensor& a, const at::Tensor& b, double scalar) {
    switch (operation) {
        case ValueOperation::Add:
            return a + b;
        case ValueOperation::Subtract:
            return a - b;
        case ValueOperation::Multiply:
            return a * b;
        case ValueOperation::Scale:
            return a * scalar;
        default:
            return a / scalar;
    }
}

}  // namespace

void FusedValues::setWay(Way way) {
    t_way = way;
}

std::int64_t FusedValues::bytesMoved() {
    return t_bytesMoved;
}

FusedValues::Value FusedValues::Value::with(ValueOperation operation, const Value& other) const {
    return m_owner->keep({.operation = operation, .a = m_index, .b = other.m_index});
}

FusedValues::Value FusedValues::Value::with(ValueOperation operation, double scalar) const {
    return m_owner->keep({.operation = operation, .a = m_index, .b = m_index, .scalar = scalar});
}

FusedValues::Value FusedValues::keep(const Step& step) {
    m_steps.push_back(step);
    return {this, kSteps + static_cast<int>(m_steps.size()) - 1};
}

FusedValues::Value FusedValues::of(const at::Tensor& tensor) {
    const auto found =
        std::ranges::find_if(m_inputs, [&](const at::Tensor& input) { return input.is_same(tensor); });
    const auto index = static_cast<int>(found - m_inputs.begin());
    if (found == m_inputs.end()) m_inputs.push_back(tensor);
    return {this, index};
}

std::vector<at::Tensor> FusedValues::made(std::initializer_list<Value> asked) {
    return fits(asked) ? inOnePass(asked) : oneByOne(asked);
}

bool FusedValues::fits(std::initializer_list<Value> asked) const {
    if (t_way == Way::OneByOne || m_inputs.empty() || std::ssize(m_inputs) > ValueProgram::kMostInputs ||
        std::ssize(m_steps) > ValueProgram::kMostSteps || std::ssize(asked) > ValueProgram::kMostOutputs)
        return false;
    const at::Device device = m_inputs.front().device();
    if (!device.is_cpu() && !hasCudaKernels(device)) return false;
    const std::vector<std::int64_t> shape = shapeOf(m_inputs);
    return std::ranges::all_of(m_inputs, [&](const at::Tensor& input) {
        return input.device() == device && inputOf(input, shape).has_value();
    });
}

std::vector<at::Tensor> FusedValues::inOnePass(std::initializer_list<Value> asked) const {
    const std::vector<std::int64_t> shape = shapeOf(m_inputs);
    const at::Device device = m_inputs.front().device();
    ValueProgram program{.values = c10::multiply_integers(shape),
                         .inputs = static_cast<int>(m_inputs.size()),
                         .steps = static_cast<int>(m_steps.size()),
                         .outputs = static_cast<int>(asked.size())};
    const auto registerOf = [&](int index) {
        return static_cast<std::uint8_t>(index < kSteps ? index : program.inputs + index - kSteps);
    };
    std::int64_t floats = 0;
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        program.input[i] = *inputOf(m_inputs[i], shape);
        floats += m_inputs[i].numel();
    }
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        ValueOperation operation = m_steps[i].operation;
        double scalar = m_steps[i].scalar;
        // libtorch divides by a number on a GPU so: the bits are to be the same.
        if (operation == ValueOperation::Divide && device.is_cuda()) {
            operation = ValueOperation::Scale;
            scalar = 1 / scalar;
        }
        program.step[i] = {operation, registerOf(m_steps[i].a), registerOf(m_steps[i].b),
                           static_cast<float>(scalar)};
    }
    std::vector<at::Tensor> tensors;
    for (const Value& value : asked) {
        tensors.push_back(at::empty(shape, m_inputs.front().options()));
        program.output[tensors.size() - 1] = {registerOf(value.m_index), tensors.back().data_ptr<float>()};
        floats += program.values;
    }
    t_bytesMoved += floats * static_cast<std::int64_t>(sizeof(float));
    if (device.is_cuda()) {
        kernels::cuda::library()->runValues(program, streamOf(m_inputs.front()));
        return tensors;
    }
    constexpr std::int64_t kGrain = 1 << 15;
    at::parallel_for(0, program.values, kGrain,
                     [&](std::int64_t begin, std::int64_t end) { kernels::runValues(program, begin, end); });
    return tensors;
}

std::vector<at::Tensor> FusedValues::oneByOne(std::initializer_list<Value> asked) const {
    std::vector<at::Tensor> registers;
    const auto tensorOf = [&](int index) {
        return index < kSteps ? m_inputs[static_cast<std::size_t>(index)]
                              : registers[static_cast<std::size_t>(index - kSteps)];
    };
    for (const Step& step : m_steps) {
        const at::Tensor a = tensorOf(step.a), b = tensorOf(step.b);
        registers.push_back(computed(step.operation, a, b, step.scalar));
        const bool two = step.operation <= ValueOperation::Multiply;
        t_bytesMoved +=
            static_cast<std::int64_t>(a.nbytes() + (two ? b.nbytes() : 0) + registers.back().nbytes());
    }
    std::vector<at::Tensor> tensors;
    for (const Value& value : asked) tensors.push_back(tensorOf(value.m_index));
    return tensors;
}

}  // namespace reelgrid::execution
