#pragma once

// What tcgen05.mma is told of its operands, as numbers that a CPU can check: nobody here has a card of
// compute capability 10.0 or 10.3 (tests/kernels/attention/tcgen05_operands_test.cpp reads them back as
// documented). Sections are those of chapter 9.7.16 of the PTX ISA 9.2.

#include <cstdint>

#if defined(__CUDACC__)
#define RG_HOST_DEVICE __host__ __device__
#else
#define RG_HOST_DEVICE
#endif

namespace reelgrid::kernels::cuda::device::blackwell {

/// A tile of shared memory: 128 rows (queries or keys) of 64 elements, swizzled as tensor copies write them.
/// A head of 128 dims is two of them, one after the other.
constexpr int kTileRows = 128;
constexpr int kTileColumns = 64;
constexpr int kTileBytes = kTileRows * kTileColumns * 2;
/// A product's summed index.
constexpr int kStep = 16;

/// Where operand `bytes` further begins (addresses are encoded in units of 16 bytes).
RG_HOST_DEVICE constexpr std::uint64_t advanced(std::uint64_t operand, std::uint32_t bytes) {
    return operand + (bytes >> 4);
}

/// Shared memory descriptor (4.1) of 1024-byte aligned tiles with the 128-byte swizzle (layout 2 in bits
/// 61-63; bits 46-48 are 1). `address`: in shared memory. K-major (the summed index is contiguous): eight
/// rows follow eight rows after 1024 bytes; the leading dimension isn't used.
RG_HOST_DEVICE constexpr std::uint64_t rowsOperand(std::uint32_t address) {
    return (address & 0x3FFFFU) >> 4 | std::uint64_t{1} << 16 | std::uint64_t{1024 >> 4} << 32 |
           std::uint64_t{1} << 46 | std::uint64_t{2} << 61;
}
/// MN-major (the summed index counts rows of 128 bytes): the next eight of them lie 1024 bytes further, the
/// next 64 columns a tile.
RG_HOST_DEVICE constexpr std::uint64_t columnsOperand(std::uint32_t address) {
    return (address & 0x3FFFFU) >> 4 | std::uint64_t{kTileBytes >> 4} << 16 | std::uint64_t{1024 >> 4} << 32 |
           std::uint64_t{1} << 46 | std::uint64_t{2} << 61;
}

/// How many bytes further the operand of Q Kᵀ begins that has the 16 dims of `step`.
RG_HOST_DEVICE constexpr std::uint32_t dimsOffset(int step) {
    constexpr int kStepsOfTile = kTileColumns / kStep;
    return static_cast<std::uint32_t>(step / kStepsOfTile * kTileBytes + step % kStepsOfTile * kStep * 2);
}
/// The same of V, which has the 16 keys of `step`.
RG_HOST_DEVICE constexpr std::uint32_t keysOffset(int step) {
    return static_cast<std::uint32_t>(step * kStep * kTileColumns * 2);
}
/// The same of P in tensor memory, in columns: two elements of a row share one.
RG_HOST_DEVICE constexpr std::uint32_t weightsOffset(int step) {
    return static_cast<std::uint32_t>(step * kStep / 2);
}

/// Of A and B.
enum class Format : std::uint32_t { Fp16 = 0, Bf16 = 1 };
/// Of B.
enum class Major : std::uint32_t { K = 0, Mn = 1 };

/// Instruction descriptor (4.2): fp32 sums, 128 rows of A, K-major, by `columns` of B.
RG_HOST_DEVICE constexpr std::uint32_t instruction(Format format, Major ofB, int columns) {
    const auto type = static_cast<std::uint32_t>(format);
    return 1U << 4 | type << 7 | type << 10 | static_cast<std::uint32_t>(ofB) << 16 |
           static_cast<std::uint32_t>(columns) >> 3 << 17 | std::uint32_t{kTileRows} >> 4 << 24;
}

/// An address in tensor memory (1): 128 lanes, a query each, of 512 columns of 32 bits.
RG_HOST_DEVICE constexpr std::uint32_t tensorAddress(std::uint32_t base, int lane, std::uint32_t column) {
    return base + (static_cast<std::uint32_t>(lane) << 16) + column;
}
/// What two groups of 128 queries have there: scores, whose place the weights take, and outputs.
constexpr std::uint32_t kTensorColumns = 512;
RG_HOST_DEVICE constexpr std::uint32_t scoresColumn(int group) {
    return static_cast<std::uint32_t>(group) * 128;
}
RG_HOST_DEVICE constexpr std::uint32_t outputsColumn(int group) {
    return 256 + static_cast<std::uint32_t>(group) * 128;
}

}  // namespace reelgrid::kernels::cuda::device::blackwell
