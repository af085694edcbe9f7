#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kThreads = 128;
constexpr int kRegisters = ValueProgram::kMostInputs + ValueProgram::kMostSteps;

/// A thread a value; its registers lie in shared memory, as the program chooses among them. Every operation
/// is rounded by itself. Division is by the reciprocal, as libtorch divides by a number on a GPU.
__global__ void __launch_bounds__(kThreads) runProgram(const __grid_constant__ ValueProgram program) {
    __shared__ float registers[kRegisters][kThreads];
    const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (at >= program.values) return;
    const auto own = [&](int index) -> float& { return registers[index][threadIdx.x]; };
    for (int i = 0; i < program.inputs; ++i) {
        const ValueProgram::Input& input = program.input[i];
        own(i) = input.values[input.count == 0 ? at : at / input.each % input.count];
    }
    for (int i = 0; i < program.steps; ++i) {
        const ValueProgram::Step step = program.step[i];
        const float a = own(step.a), b = own(step.b);
        float made = 0;
        switch (step.operation) {
            case ValueOperation::Add:
                made = __fadd_rn(a, b);
                break;
            case ValueOperation::Subtract:
                made = __fsub_rn(a, b);
                break;
            case ValueOperation::Multiply:
                made = __fmul_rn(a, b);
                break;
            case ValueOperation::Scale:
                made = __fmul_rn(a, step.scalar);
                break;
            case ValueOperation::Divide:
                made = __fmul_rn(a, __frcp_rn(step.scalar));
                break;
        }
        own(program.inputs + i) = made;
    }
    for (int i = 0; i < program.outputs; ++i) program.output[i].values[at] = own(program.output[i].from);
}

}  // namespace

void runValues(const ValueProgram& program, void* stream) {
    if (program.values == 0) return;
    runProgram<<<rowBlocks((program.values + kThreads - 1) / kThreads), kThreads, 0,
                 static_cast<cudaStream_t>(stream)>>>(program);
    checkLaunch("runValues");
}

}  // namespace reelgrid::kernels::cuda::device
