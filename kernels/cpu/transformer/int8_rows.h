#pragma once

// One block of rows of an integer linear layer, compiled by each instruction set's source with its own flags.
// Included by those sources only, each of which has a `Panel` of its own: everything here is local to it.

#include <math.h>

#include <cstdint>
#include <cstring>

#include "kernels/cpu/transformer/int8_linear.h"

namespace reelgrid::kernels::transformer {

/// Outputs that lie beside each other: packed weights are [panels][inputs / 4][kPanel][4], each 128 more than
/// the integer, so that unsigned times signed instructions take them.
constexpr int kPanel = 32;
constexpr int kQuad = 4;
constexpr int kBias = 128;
/// Blocks of inputs that all rows are multiplied with before the next ones: so much of a panel stays in the
/// L1 cache.
constexpr std::int64_t kBlocksTogether = 8;

/// What a source offers: the first rows of a block of kInt8Block (count of them) by the panels from `first`
/// to before `end`. `room`: int8RoomBytes() bytes.
struct Int8Rows {
    void (*bf16)(const Int8Weight&, std::int64_t count, const BFloat16* x, const float* bias, BFloat16* y,
                 std::int64_t first, std::int64_t end, void* room);
    void (*fp32)(const Int8Weight&, std::int64_t count, const float* x, const float* bias, float* y,
                 std::int64_t first, std::int64_t end, void* room);
    void (*quantise)(std::int64_t rows, std::int64_t columns, const float* x, std::int64_t stride,
                     std::int8_t* integers, std::int64_t pitch, float* scale);
};
const Int8Rows& int8RowsPortable();
const Int8Rows& int8RowsAvx2();
const Int8Rows& int8RowsVnni();
const Int8Rows& int8RowsAmx();

constexpr std::int64_t int8Blocks(std::int64_t side) {
    return (side + kInt8Block - 1) / kInt8Block;
}
/// Sums of a panel; integers of a block of rows, their sums and their scales.
constexpr std::int64_t int8RoomBytes(std::int64_t inputs) {
    return kInt8Block * kPanel * std::int64_t{sizeof(float)} +
           int8Blocks(inputs) * (kInt8Block * kInt8Block + kInt8Block * std::int64_t{sizeof(std::int32_t)} +
                                 std::int64_t{sizeof(float)}) +
           64;
}

namespace {

inline float widened(float x) {
    return x;
}
inline float widened(BFloat16 x) {
    const std::uint32_t bits = std::uint32_t{x.bits} << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
/// The bits of |x| as a float's: ordered as the values are, infinity and NaN above all numbers.
inline std::uint32_t magnitude(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits & 0x7FFFFFFFU;
}
inline std::uint32_t magnitude(BFloat16 x) {
    return std::uint32_t{x.bits & 0x7FFFU} << 16;
}
inline void narrow(float x, float& out) {
    out = x;
}
/// To nearest even; a NaN stays one.
inline void narrow(float x, BFloat16& out) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    out.bits = static_cast<std::uint16_t>(x != x ? 0x7FC0U : rounded);
}

/// One block of at most 128 × 128; rows of x are `stride` apart, those of the integers `pitch`.
template <class T>
void quantiseBlock(std::int64_t rows, std::int64_t columns, const T* x, std::int64_t stride,
                   std::int8_t* integers, std::int64_t pitch, float* scale) {
    std::uint32_t bits = 0;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
            const std::uint32_t own = magnitude(x[r * stride + c]);
            bits = own > bits ? own : bits;
        }
    const bool finite = bits < 0x7F800000U;
    float most = 0;
    std::memcpy(&most, &bits, sizeof most);
    most = most > 1e-8F ? most : 1e-8F;
    *scale = finite ? most / 128.0F : NAN;
    if (!finite) {
        for (std::int64_t r = 0; r < rows; ++r)
            std::memset(integers + r * pitch, 0, static_cast<std::size_t>(columns));
        return;
    }
    const float factor = 128.0F / most;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
            float units = rintf(widened(x[r * stride + c]) * factor);
            units = units > 127.0F ? 127.0F : units;
            units = units < -128.0F ? -128.0F : units;
            integers[r * pitch + c] = static_cast<std::int8_t>(static_cast<std::int32_t>(units));
        }
}

/// One product of up to Panel::kRows rows with a panel over some blocks of inputs.
struct PanelArgs {
    std::int64_t rows = 0, blocks = 0;
    const std::uint8_t* weights = nullptr;  ///< of the first block
    const std::int8_t* integers = nullptr;  ///< likewise of the first row
    std::int64_t pitch = 0;                 ///< from row to row
    const std::int32_t* sums = nullptr;     ///< what each row's sum begins with: [blocks][kInt8Block]
    const float* scales = nullptr;          ///< of the rows: [blocks]
    const float* weightScales = nullptr;    ///< [blocks], weightPitch apart
    std::int64_t weightPitch = 0;
    float* totals = nullptr;  ///< [rows][kPanel], added to
};

/// What most panels need before and after products: nothing.
struct PlainPanel {
    static constexpr int kRows = 6;  ///< that are multiplied together
    static void begin() {}
    static void end() {}
};

/// Panel::multiply(args): totals += the sum over the blocks of (Σ weight · integer) · scales.
template <class Panel, class T>
void int8RowsOf(const Int8Weight& weight, std::int64_t count, const T* x, const float* bias, T* y,
                std::int64_t first, std::int64_t end, void* room) {
    const std::int64_t blocks = int8Blocks(weight.inputs), pitch = blocks * kInt8Block;
    const std::int64_t padded = (weight.outputs + kPanel - 1) / kPanel * kPanel;
    auto* totals = static_cast<float*>(room);
    auto* integers = reinterpret_cast<std::int8_t*>(totals + kInt8Block * kPanel);
    auto* sums = reinterpret_cast<std::int32_t*>(integers + kInt8Block * pitch);  // [blocks][128]
    auto* scales = reinterpret_cast<float*>(sums + blocks * kInt8Block);
    for (std::int64_t block = 0; block < blocks; ++block) {
        const std::int64_t column = block * kInt8Block;
        const std::int64_t columns =
            weight.inputs - column < kInt8Block ? weight.inputs - column : kInt8Block;
        quantiseBlock(count, columns, x + column, weight.inputs, integers + column, pitch, scales + block);
        for (std::int64_t r = 0; r < count; ++r) {
            std::int8_t* row = integers + r * pitch + column;
            for (std::int64_t c = columns; c < kInt8Block; ++c) row[c] = 0;
            std::int32_t sum = 0;
            for (std::int64_t c = 0; c < kInt8Block; ++c) sum += row[c];
            sums[block * kInt8Block + r] = -kBias * sum;
        }
    }
    Panel::begin();
    for (std::int64_t panel = first; panel < end; ++panel) {
        const std::int64_t output = panel * kPanel;
        const std::int64_t outputs = weight.outputs - output < kPanel ? weight.outputs - output : kPanel;
        std::memset(totals, 0, static_cast<std::size_t>(count) * kPanel * sizeof(float));
        for (std::int64_t block = 0; block < blocks; block += kBlocksTogether)
            for (std::int64_t row = 0; row < count; row += Panel::kRows) {
                PanelArgs args;
                args.rows = count - row < Panel::kRows ? count - row : Panel::kRows;
                args.blocks = blocks - block < kBlocksTogether ? blocks - block : kBlocksTogether;
                args.weights = weight.packed + panel * kPanel * pitch + block * kInt8Block * kPanel;
                args.integers = integers + row * pitch + block * kInt8Block;
                args.pitch = pitch;
                args.sums = sums + block * kInt8Block + row;
                args.scales = scales + block;
                args.weightScales = weight.scales + block * padded + output;
                args.weightPitch = padded;
                args.totals = totals + row * kPanel;
                Panel::multiply(args);
            }
        for (std::int64_t row = 0; row < count; ++row)
            for (std::int64_t o = 0; o < outputs; ++o)
                narrow(totals[row * kPanel + o] + (bias != nullptr ? bias[output + o] : 0.0F),
                       y[row * weight.outputs + output + o]);
    }
    Panel::end();
}

template <class Panel>
constexpr Int8Rows int8RowsWith() {
    return {.bf16 = &int8RowsOf<Panel, BFloat16>,
            .fp32 = &int8RowsOf<Panel, float>,
            .quantise = &quantiseBlock<float>};
}

}  // namespace

}  // namespace reelgrid::kernels::transformer
