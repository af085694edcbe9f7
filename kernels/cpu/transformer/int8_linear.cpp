#include "kernels/cpu/transformer/int8_linear.h"

#include <omp.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/transformer/int8_rows.h"

namespace reelgrid::kernels::transformer {
namespace {

struct PortablePanel : PlainPanel {
    static void multiply(const PanelArgs& args) {
        for (std::int64_t r = 0; r < args.rows; ++r)
            for (int o = 0; o < kPanel; ++o) {
                float& total = args.totals[r * kPanel + o];
                for (std::int64_t block = 0; block < args.blocks; ++block) {
                    std::int32_t sum = args.sums[block * kInt8Block + r];
                    for (std::int64_t c = block * kInt8Block; c < (block + 1) * kInt8Block; ++c)
                        sum += args.weights[(c / kQuad * kPanel + o) * kQuad + c % kQuad] *
                               args.integers[r * args.pitch + c];
                    total = fmaf(static_cast<float>(sum),
                                 args.weightScales[block * args.weightPitch + o] * args.scales[block], total);
                }
            }
    }
};

const Int8Rows& selectedInt8Rows() {
#if defined(REELGRID_X86_KERNELS)
    switch (selectedInstructionSet(Products::Narrow)) {
        case InstructionSet::Amx:
            return int8RowsAmx();
        case InstructionSet::Avx512:
            return int8RowsVnni();
        case InstructionSet::Avx2:
            return int8RowsAvx2();
        case InstructionSet::Portable:
            break;
    }
#endif
    return int8RowsPortable();
}

/// Blocks of rows by all threads; where there are fewer of them than threads, each is cut along the outputs
/// and quantised once more for each cut, which is little beside its products.
template <class T, class Run>
void int8LinearOn(const Int8Weight& weight, std::int64_t rows, const T* x, const float* bias, T* y,
                  const Run& run) {
    const std::int64_t panels = int8PaddedOutputs(weight.outputs) / kPanel;
    const std::int64_t rowBlocks = int8Blocks(rows), threads = omp_get_max_threads();
    const std::int64_t cuts =
        std::clamp<std::int64_t>((threads + rowBlocks - 1) / std::max<std::int64_t>(rowBlocks, 1), 1, panels);
    const std::int64_t panelsOfCut = (panels + cuts - 1) / cuts;
    const std::int64_t roomBytes = int8RoomBytes(weight.inputs);
#pragma omp parallel
    {
        std::vector<std::uint8_t> room(static_cast<std::size_t>(roomBytes));
        void* aligned = room.data() + (64 - reinterpret_cast<std::uintptr_t>(room.data()) % 64) % 64;
#pragma omp for schedule(dynamic, 1)
        for (std::int64_t task = 0; task < rowBlocks * cuts; ++task) {
            const std::int64_t row = task / cuts * kInt8Block, first = task % cuts * panelsOfCut;
            run(weight, std::min(kInt8Block, rows - row), x + row * weight.inputs, bias,
                y + row * weight.outputs, first, std::min(panels, first + panelsOfCut), aligned);
        }
    }
}

}  // namespace

const Int8Rows& int8RowsPortable() {
    static constexpr Int8Rows kRows = int8RowsWith<PortablePanel>();
    return kRows;
}

std::int64_t int8PaddedOutputs(std::int64_t outputs) {
    return (outputs + kPanel - 1) / kPanel * kPanel;
}

std::int64_t int8PackedBytes(std::int64_t outputs, std::int64_t inputs) {
    return int8PaddedOutputs(outputs) * int8Blocks(inputs) * kInt8Block;
}

void packInt8(std::int64_t outputs, std::int64_t inputs, const std::int8_t* integers, std::uint8_t* packed) {
    const std::int64_t pitch = int8Blocks(inputs) * kInt8Block, padded = int8PaddedOutputs(outputs);
#pragma omp parallel for schedule(static)
    for (std::int64_t output = 0; output < padded; ++output) {
        std::uint8_t* panel = packed + output / kPanel * kPanel * pitch + output % kPanel * kQuad;
        for (std::int64_t c = 0; c < pitch; ++c) {
            const int value = output < outputs && c < inputs ? integers[output * inputs + c] : 0;
            panel[c / kQuad * kPanel * kQuad + c % kQuad] = static_cast<std::uint8_t>(value + kBias);
        }
    }
}

void quantiseInt8(std::int64_t rows, std::int64_t columns, const float* x, std::int8_t* integers,
                  float* scales) {
    const std::int64_t across = int8Blocks(columns);
    const Int8Rows& with = selectedInt8Rows();
#pragma omp parallel for schedule(static)
    for (std::int64_t block = 0; block < int8Blocks(rows) * across; ++block) {
        const std::int64_t row = block / across * kInt8Block, column = block % across * kInt8Block;
        with.quantise(std::min(kInt8Block, rows - row), std::min(kInt8Block, columns - column),
                      x + row * columns + column, columns, integers + row * columns + column, columns,
                      scales + block);
    }
}

void int8Linear(const Int8Weight& weight, std::int64_t rows, const BFloat16* x, const float* bias,
                BFloat16* y) {
    int8LinearOn(weight, rows, x, bias, y, selectedInt8Rows().bf16);
}

void int8Linear(const Int8Weight& weight, std::int64_t rows, const float* x, const float* bias, float* y) {
    int8LinearOn(weight, rows, x, bias, y, selectedInt8Rows().fp32);
}

}  // namespace reelgrid::kernels::transformer
