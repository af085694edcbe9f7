#include "kernels/values/value_program.h"

#include <algorithm>
#include <cstring>

namespace reelgrid::kernels {
namespace {

/// So many of each register: all registers stay in the nearest cache.
constexpr int kTogether = 256;

void takeInput(const ValueProgram::Input& input, std::int64_t first, int count, float* to) {
    if (input.count == 0) {
        std::memcpy(to, input.values + first, static_cast<std::size_t>(count) * sizeof(float));
        return;
    }
    for (int i = 0; i < count; ++i) to[i] = input.values[(first + i) / input.each % input.count];
}

void make(const ValueProgram::Step& step, int count, const float* a, const float* b, float* to) {
    const float scalar = step.scalar;
    switch (step.operation) {
        case ValueOperation::Add:
            for (int i = 0; i < count; ++i) to[i] = a[i] + b[i];
            return;
        case ValueOperation::Subtract:
            for (int i = 0; i < count; ++i) to[i] = a[i] - b[i];
            return;
        case ValueOperation::Multiply:
            for (int i = 0; i < count; ++i) to[i] = a[i] * b[i];
            return;
        case ValueOperation::Scale:
            for (int i = 0; i < count; ++i) to[i] = a[i] * scalar;
            return;
        case ValueOperation::Divide:
            for (int i = 0; i < count; ++i) to[i] = a[i] / scalar;
            return;
    }
}

}  // namespace

void runValues(const ValueProgram& program, std::int64_t first, std::int64_t last) {
    float registers[ValueProgram::kMostInputs + ValueProgram::kMostSteps][kTogether];
    for (std::int64_t begin = first; begin < last; begin += kTogether) {
        const int count = static_cast<int>(std::min<std::int64_t>(kTogether, last - begin));
        for (int i = 0; i < program.inputs; ++i) takeInput(program.input[i], begin, count, registers[i]);
        for (int i = 0; i < program.steps; ++i) {
            const ValueProgram::Step& step = program.step[i];
            make(step, count, registers[step.a], registers[step.b], registers[program.inputs + i]);
        }
        for (int i = 0; i < program.outputs; ++i)
            std::memcpy(program.output[i].values + begin, registers[program.output[i].from],
                        static_cast<std::size_t>(count) * sizeof(float));
    }
}

}  // namespace reelgrid::kernels
