// What the kernel for datacentre Blackwell tells tcgen05.mma, read back as the PTX ISA documents it: no card
// is needed. That a card does what is documented was not checked here.

#include "kernels/cuda/attention/blackwell/tcgen05_operands.h"

#include <gtest/gtest.h>

#include <vector>

namespace reelgrid::kernels::cuda::device::blackwell {
namespace {

/// Elements stand for themselves: whole numbers of 16 bits.
using Element = std::int16_t;

std::uint32_t bits(std::uint64_t value, int first, int count) {
    return static_cast<std::uint32_t>(value >> first & ((std::uint64_t{1} << count) - 1));
}

/// Shared memory descriptor (PTX ISA 9.2, 9.7.16.4.1).
struct Operand {
    std::uint32_t start, leading, stride, fixed, base, mode, rest, swizzle;

    explicit Operand(std::uint64_t x)
        : start(bits(x, 0, 14) << 4),
          leading(bits(x, 16, 14) << 4),
          stride(bits(x, 32, 14) << 4),
          fixed(bits(x, 46, 3)),
          base(bits(x, 49, 3)),
          mode(bits(x, 52, 1)),
          rest(bits(x, 53, 8)),
          swizzle(bits(x, 61, 3)) {}

    /// Where element (mn, k) of 16 k lies (9.7.16.3, canonical layouts of the 128-byte swizzle).
    [[nodiscard]] std::uint32_t placeOf(Major major, int mn, int k) const {
        const auto row = static_cast<std::uint32_t>(mn), column = static_cast<std::uint32_t>(k);
        const std::uint32_t plain = major == Major::K ? start + row % 8 * 128 + row / 8 * stride + column * 2
                                                      : start + row % 64 * 2 + row / 64 * leading +
                                                            column % 8 * 128 + column / 8 * stride;
        return plain ^ (plain >> 7 & 7) << 4;
    }
};

/// Instruction descriptor (9.7.16.4.2, kind::f16).
struct Instruction {
    std::uint32_t sums, a, b, aMajor, bMajor, columns, rows, others;

    explicit Instruction(std::uint32_t x)
        : sums(bits(x, 4, 2)),
          a(bits(x, 7, 3)),
          b(bits(x, 10, 3)),
          aMajor(bits(x, 15, 1)),
          bMajor(bits(x, 16, 1)),
          columns(bits(x, 17, 6) << 3),
          rows(bits(x, 24, 5) << 4),
          others(x & ~(3U << 4 | 7U << 7 | 7U << 10 | 3U << 15 | 63U << 17 | 31U << 24)) {}
};

/// A block's memory and the products over it.
class Machine {
  public:
    /// A tensor copy with CU_TENSOR_MAP_SWIZZLE_128B: sixteen bytes c of row r lie at c xor r % 8.
    template <class Value>
    void copyTile(std::uint32_t address, Value&& valueOf) {
        for (int row = 0; row < kTileRows; ++row)
            for (int column = 0; column < kTileColumns; ++column) {
                const int chunk = column / 8 ^ row % 8;
                m_shared.at((address + static_cast<std::uint32_t>(row * 128 + chunk * 16 + column % 8 * 2)) /
                            2) = static_cast<Element>(valueOf(row, column));
            }
    }
    [[nodiscard]] Element shared(std::uint32_t address) const { return m_shared.at(address / 2); }
    /// Of tensor memory: a lane's column.
    [[nodiscard]] std::int32_t& tensor(std::uint32_t address) {
        return m_tensor.at((address >> 16) * kTensorColumns + (address & 0xFFFFU));
    }

    void multiply(std::uint32_t sums, std::uint64_t a, std::uint64_t b, std::uint32_t told, bool add) {
        const Operand from(a);
        product(sums, b, told, add, [&](int row, int k) { return shared(from.placeOf(Major::K, row, k)); });
    }
    /// A in tensor memory: lane i has row i, two elements a column, the first in the lower half.
    void multiplyTensor(std::uint32_t sums, std::uint32_t a, std::uint64_t b, std::uint32_t told, bool add) {
        product(sums, b, told, add, [&](int row, int k) {
            const std::int32_t pair = tensor(tensorAddress(a, row, static_cast<std::uint32_t>(k) / 2));
            return static_cast<Element>(static_cast<std::uint32_t>(pair) >> k % 2 * 16);
        });
    }

  private:
    template <class RowsOfA>
    void product(std::uint32_t sums, std::uint64_t b, std::uint32_t told, bool add, RowsOfA&& a) {
        const Operand from(b);
        const Instruction shape(told);
        const auto major = static_cast<Major>(shape.bMajor);
        for (int row = 0; row < static_cast<int>(shape.rows); ++row)
            for (int column = 0; column < static_cast<int>(shape.columns); ++column) {
                std::int32_t& sum = tensor(tensorAddress(sums, row, static_cast<std::uint32_t>(column)));
                if (!add) sum = 0;
                for (int k = 0; k < kStep; ++k) sum += a(row, k) * shared(from.placeOf(major, column, k));
            }
    }

    std::vector<Element> m_shared = std::vector<Element>(128 * 1024, -77);
    std::vector<std::int32_t> m_tensor = std::vector<std::int32_t>(128 * kTensorColumns, -77);
};

constexpr std::uint32_t kQ = 1024, kK = kQ + 4 * kTileBytes, kV = kK + 2 * kTileBytes;

int qOf(int group, int row, int dim) {
    return (row * 7 + dim * 3 + group * 5) % 11 - 5;
}
int kOf(int row, int dim) {
    return (row * 5 + dim * 2 + row * dim) % 13 - 6;
}
int vOf(int row, int dim) {
    return (row * 3 + dim * 11 + row / 9) % 9 - 4;
}
int weightOf(int group, int row, int key) {
    return (row + key * 3 + key * row + group) % 7;
}

class Tcgen05Operands : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(HeadDims, Tcgen05Operands, testing::Values(64, 128));

TEST(Tcgen05Descriptors, HaveTheFixedBitsAndTheSwizzle) {
    for (const std::uint64_t told : {rowsOperand(0x2A400), columnsOperand(0x2A400)}) {
        const Operand operand(told);
        EXPECT_EQ(operand.start, 0x2A400U);
        EXPECT_EQ(operand.stride, 1024U);
        EXPECT_EQ(operand.fixed, 1U);
        EXPECT_EQ(operand.base, 0U);
        EXPECT_EQ(operand.mode, 0U);
        EXPECT_EQ(operand.rest, 0U);
        EXPECT_EQ(operand.swizzle, 2U);
        EXPECT_EQ(bits(told, 14, 2) | bits(told, 30, 2), 0U);
    }
    EXPECT_EQ(Operand(columnsOperand(0x400)).leading, 128U * 128U);
}

TEST(Tcgen05Descriptors, InstructionsSayWhatIsMultiplied) {
    for (const Format format : {Format::Fp16, Format::Bf16})
        for (const Major major : {Major::K, Major::Mn})
            for (const int columns : {64, 128}) {
                const Instruction told(instruction(format, major, columns));
                EXPECT_EQ(told.sums, 1U);  // fp32
                EXPECT_EQ(told.a, format == Format::Bf16 ? 1U : 0U);
                EXPECT_EQ(told.b, told.a);
                EXPECT_EQ(told.aMajor, 0U);
                EXPECT_EQ(told.bMajor, major == Major::Mn ? 1U : 0U);
                EXPECT_EQ(told.rows, 128U);
                EXPECT_EQ(told.columns, static_cast<std::uint32_t>(columns));
                EXPECT_EQ(told.others, 0U);
            }
}

TEST(Tcgen05Descriptors, WhatLiesInTensorMemoryIsApart) {
    std::vector<int> uses(kTensorColumns);
    for (int group = 0; group < 2; ++group)
        for (const std::uint32_t first : {scoresColumn(group), outputsColumn(group)})
            for (std::uint32_t column = first; column < first + kTileRows; ++column) ++uses.at(column);
    EXPECT_EQ(uses, std::vector<int>(kTensorColumns, 1));
    EXPECT_EQ(tensorAddress(0x40, 96, scoresColumn(1)), 96U * 65536 + 0x40 + 128);
}

TEST_P(Tcgen05Operands, FindEveryElementWhereTensorCopiesPutIt) {
    Machine machine;
    const int dims = GetParam();
    for (int half = 0; half < dims / kTileColumns; ++half)
        machine.copyTile(kV + static_cast<std::uint32_t>(half * kTileBytes),
                         [&](int row, int column) { return row * 256 + half * kTileColumns + column; });
    for (int step = 0; step < dims / kStep; ++step) {
        const Operand rows(advanced(rowsOperand(kV), dimsOffset(step)));
        for (int row = 0; row < kTileRows; ++row)
            for (int k = 0; k < kStep; ++k)
                ASSERT_EQ(machine.shared(rows.placeOf(Major::K, row, k)),
                          static_cast<Element>(row * 256 + step * kStep + k));
    }
    for (int step = 0; step < kTileRows / kStep; ++step) {
        const Operand columns(advanced(columnsOperand(kV), keysOffset(step)));
        for (int dim = 0; dim < dims; ++dim)
            for (int k = 0; k < kStep; ++k)
                ASSERT_EQ(machine.shared(columns.placeOf(Major::Mn, dim, k)),
                          static_cast<Element>((step * kStep + k) * 256 + dim));
    }
}

TEST_P(Tcgen05Operands, TwoGroupsOfQueriesMultiplyATile) {
    Machine machine;
    const int dims = GetParam();
    const auto tileBytes = static_cast<std::uint32_t>(kTileBytes);
    const auto qAddress = [&](int group) {
        return kQ + static_cast<std::uint32_t>(group * dims / kTileColumns) * tileBytes;
    };
    for (std::uint32_t half = 0; half < static_cast<std::uint32_t>(dims / kTileColumns); ++half) {
        const int first = static_cast<int>(half) * kTileColumns;
        for (int group = 0; group < 2; ++group)
            machine.copyTile(qAddress(group) + half * tileBytes,
                             [&](int row, int column) { return qOf(group, row, first + column); });
        machine.copyTile(kK + half * tileBytes,
                         [&](int row, int column) { return kOf(row, first + column); });
        machine.copyTile(kV + half * tileBytes,
                         [&](int row, int column) { return vOf(row, first + column); });
    }

    for (int group = 0; group < 2; ++group)
        for (int step = 0; step < dims / kStep; ++step)
            machine.multiply(scoresColumn(group), advanced(rowsOperand(qAddress(group)), dimsOffset(step)),
                             advanced(rowsOperand(kK), dimsOffset(step)),
                             instruction(Format::Bf16, Major::K, kTileRows), step > 0);
    for (int group = 0; group < 2; ++group)
        for (int row = 0; row < kTileRows; ++row)
            for (int key = 0; key < kTileRows; ++key) {
                int score = 0;
                for (int dim = 0; dim < dims; ++dim) score += qOf(group, row, dim) * kOf(key, dim);
                ASSERT_EQ(
                    machine.tensor(tensorAddress(scoresColumn(group), row, static_cast<std::uint32_t>(key))),
                    score);
            }

    for (int group = 0; group < 2; ++group) {
        for (int row = 0; row < kTileRows; ++row)  // a thread's two stores of 32 columns
            for (int pair = 0; pair < kTileRows / 2; ++pair)
                machine.tensor(tensorAddress(scoresColumn(group), row, static_cast<std::uint32_t>(pair))) =
                    weightOf(group, row, 2 * pair) | weightOf(group, row, 2 * pair + 1) << 16;
        for (int twice = 0; twice < 2; ++twice)
            for (int step = 0; step < kTileRows / kStep; ++step)
                machine.multiplyTensor(outputsColumn(group), scoresColumn(group) + weightsOffset(step),
                                       advanced(columnsOperand(kV), keysOffset(step)),
                                       instruction(Format::Fp16, Major::Mn, dims), twice + step > 0);
    }
    for (int group = 0; group < 2; ++group)
        for (int row = 0; row < kTileRows; ++row)
            for (int dim = 0; dim < dims; ++dim) {
                int output = 0;
                for (int key = 0; key < kTileRows; ++key)
                    output += 2 * weightOf(group, row, key) * vOf(key, dim);
                ASSERT_EQ(
                    machine.tensor(tensorAddress(outputsColumn(group), row, static_cast<std::uint32_t>(dim))),
                    output);
            }
}

}  // namespace
}  // namespace reelgrid::kernels::cuda::device::blackwell
