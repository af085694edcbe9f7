#pragma once

// Sums and products of values that lie in the same order, one operation after another for a few values at a
// time: one pass over memory in place of one an operation. Each operation is rounded to fp32 by itself, so
// that the bits are those of separate passes.

#include <cstdint>

namespace reelgrid::kernels {

enum class ValueOperation : std::uint8_t { Add, Subtract, Multiply, Scale, Divide };

struct ValueProgram {
    static constexpr int kMostInputs = 8, kMostSteps = 40, kMostOutputs = 4;

    /// fp32: value i is values[i], or values[i / each % count] where there is a count.
    struct Input {
        const float* values = nullptr;
        std::int64_t each = 1, count = 0;
    };
    /// Makes register `inputs + its own index` of registers a and b, or of a and `scalar` (Scale, Divide).
    /// Input i is register i.
    struct Step {
        ValueOperation operation = ValueOperation::Add;
        std::uint8_t a = 0, b = 0;
        float scalar = 1;
    };
    struct Output {
        std::uint8_t from = 0;
        float* values = nullptr;
    };

    std::int64_t values = 0;
    int inputs = 0, steps = 0, outputs = 0;
    Input input[kMostInputs]{};
    Step step[kMostSteps]{};
    Output output[kMostOutputs]{};
};

/// Values from `first` to `last` on the CPU. Outputs must not lie over inputs.
void runValues(const ValueProgram& program, std::int64_t first, std::int64_t last);

}  // namespace reelgrid::kernels
