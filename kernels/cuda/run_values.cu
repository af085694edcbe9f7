#include <cstdint>

#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kThreads = 128;
/// Shared memory that every GPU gives without being asked.
constexpr std::size_t kSharedBytes = 48 << 10;

/// A step for one value, every operation rounded by itself.
__device__ float made(const ValueProgram::Step& step, float a, float b) {
    switch (step.operation) {
        case ValueOperation::Add:
            return __fadd_rn(a, b);
        case ValueOperation::Subtract:
            return __fsub_rn(a, b);
        case ValueOperation::Multiply:
            return __fmul_rn(a, b);
        case ValueOperation::Scale:
            return __fmul_rn(a, step.scalar);
        case ValueOperation::Divide:
            return __fdiv_rn(a, step.scalar);
    }
    return 0;
}

__device__ float4 made(const ValueProgram::Step& step, float4 a, float4 b) {
    return {made(step, a.x, b.x), made(step, a.y, b.y), made(step, a.z, b.z), made(step, a.w, b.w)};
}

__device__ float one(const ValueProgram::Input& input, std::int64_t at) {
    return input.values[input.count == 0 ? at : at / input.each % input.count];
}

template <class Values>
__device__ Values loaded(const ValueProgram::Input& input, std::int64_t at) {
    if constexpr (sizeof(Values) == sizeof(float))
        return one(input, at);
    else {
        if (input.count == 0) return *reinterpret_cast<const float4*>(input.values + at);
        return {one(input, at), one(input, at + 1), one(input, at + 2), one(input, at + 3)};
    }
}

/// A thread for one value (float) or four neighbours (float4). Its registers lie in shared memory, as the
/// program chooses among them.
template <class Values>
__global__ void __launch_bounds__(kThreads) runProgram(const __grid_constant__ ValueProgram program) {
    extern __shared__ float4 memory[];
    Values* const registers = reinterpret_cast<Values*>(memory) + threadIdx.x;
    constexpr int kWidth = sizeof(Values) / sizeof(float);
    const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kWidth;
    if (at >= program.values) return;
    for (int i = 0; i < program.inputs; ++i) registers[i * kThreads] = loaded<Values>(program.input[i], at);
    for (int i = 0; i < program.steps; ++i) {
        const ValueProgram::Step& step = program.step[i];
        registers[(program.inputs + i) * kThreads] =
            made(step, registers[step.a * kThreads], registers[step.b * kThreads]);
    }
    for (int i = 0; i < program.outputs; ++i)
        *reinterpret_cast<Values*>(program.output[i].values + at) =
            registers[program.output[i].from * kThreads];
}

bool isAligned(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % sizeof(float4) == 0;
}

/// Whether four neighbours can be read, computed and written together.
bool takesFours(const ValueProgram& program, int registers) {
    bool fits = program.values % 4 == 0 && registers * sizeof(float4) * kThreads <= kSharedBytes;
    for (int i = 0; i < program.inputs; ++i)
        fits = fits && (program.input[i].count != 0 || isAligned(program.input[i].values));
    for (int i = 0; i < program.outputs; ++i) fits = fits && isAligned(program.output[i].values);
    return fits;
}

template <class Values>
void launch(const ValueProgram& program, int registers, cudaStream_t queue) {
    constexpr std::int64_t kEach = std::int64_t{kThreads} * (sizeof(Values) / sizeof(float));
    runProgram<Values><<<rowBlocks((program.values + kEach - 1) / kEach), kThreads,
                         registers * sizeof(Values) * kThreads, queue>>>(program);
}

}  // namespace

void runValues(const ValueProgram& program, void* stream) {
    if (program.values == 0) return;
    const int registers = program.inputs + program.steps;
    const auto queue = static_cast<cudaStream_t>(stream);
    if (takesFours(program, registers))
        launch<float4>(program, registers, queue);
    else
        launch<float>(program, registers, queue);
    checkLaunch("runValues");
}

}  // namespace reelgrid::kernels::cuda::device
