#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "kernels/values/value_program.h"

namespace reelgrid::execution {

/// Sums and products of fp32 tensors that are written down first and then made in one pass over memory, with
/// the bits that libtorch's operations have one after another:
///
///     FusedValues values;
///     const auto x = values.of(latents), y = values.of(noise);
///     const at::Tensor mixed = values.made(x * 0.5 + y);
///
/// Where the kernels don't take the tensors (another dtype, device or order of memory) it is those
/// operations.
class FusedValues {
  public:
    /// What is not made yet; of its FusedValues alone.
    class Value {
      public:
        Value operator+(const Value& other) const { return with(kernels::ValueOperation::Add, other); }
        Value operator-(const Value& other) const { return with(kernels::ValueOperation::Subtract, other); }
        Value operator*(const Value& other) const { return with(kernels::ValueOperation::Multiply, other); }
        Value operator*(double factor) const { return with(kernels::ValueOperation::Scale, factor); }
        Value operator/(double divisor) const { return with(kernels::ValueOperation::Divide, divisor); }
        friend Value operator*(double factor, const Value& value) { return value * factor; }

      private:
        friend class FusedValues;
        Value(FusedValues* owner, int index) : m_owner(owner), m_index(index) {}
        [[nodiscard]] Value with(kernels::ValueOperation operation, const Value& other) const;
        [[nodiscard]] Value with(kernels::ValueOperation operation, double scalar) const;

        FusedValues* m_owner;
        int m_index;  ///< among inputs, or behind them among steps
    };

    FusedValues() = default;
    FusedValues(const FusedValues&) = delete;
    FusedValues& operator=(const FusedValues&) = delete;

    /// A tensor; the same one is read once. Tensors have one shape or broadcast to that of the others.
    Value of(const at::Tensor& tensor);
    /// What is asked for, in new tensors.
    [[nodiscard]] std::vector<at::Tensor> made(std::initializer_list<Value> asked);
    [[nodiscard]] at::Tensor made(const Value& asked) { return made({asked}).front(); }

    /// How values are made in this thread from now on; for benchmarks and tests.
    enum class Way { OnePass, OneByOne };
    static void setWay(Way way);
    /// Bytes that were read and written for them in this thread.
    static std::int64_t bytesMoved();

  private:
    static constexpr int kSteps = 1 << 8;  ///< indices of steps begin here
    struct Step {
        kernels::ValueOperation operation;
        int a = 0, b = 0;
        double scalar = 1;
    };
    Value keep(const Step& step);
    [[nodiscard]] bool fits(std::initializer_list<Value> asked) const;
    [[nodiscard]] std::vector<at::Tensor> inOnePass(std::initializer_list<Value> asked) const;
    [[nodiscard]] std::vector<at::Tensor> oneByOne(std::initializer_list<Value> asked) const;

    std::vector<at::Tensor> m_inputs;
    std::vector<Step> m_steps;
};

}  // namespace reelgrid::execution
