// Products of int8 blocks for every GPU since Ampere: a block of threads makes 128 rows by 128 outputs, each
// of its eight warps 64 by 32 of them; the next block of inputs comes during the products of this one.

#include "kernels/cuda/attention/launch_attention.cuh"
#include "kernels/cuda/attention/mma.cuh"
#include "kernels/cuda/attention/online_softmax.cuh"
#include "kernels/cuda/int8/products.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kSide = static_cast<int>(kInt8Block);
constexpr int kThreads = 256;
constexpr int kTileBytes = kSide * kSide;
constexpr int kStageBytes = 2 * kTileBytes;  // rows of x, rows of the weight
constexpr int kMmaSharedBytes = 2 * kStageBytes;
constexpr int kWarpRows = 64, kWarpOutputs = 32;

struct Int8MmaCall {
    Int8Extents extents;
    const std::int8_t *x, *weight;
    const float *xScales, *weightScales, *bias;
    void* out;
};

/// Where 16 bytes of a row of 128 lie: spread over the banks for loads of eight rows.
__device__ std::uint32_t placeOf(int row, int column) {
    return row * kSide + ((column ^ (row & 7)) << 4);
}

/// A block of 128 rows from `firstRow` on; zeros beyond the matrix.
__device__ void copyBlock(std::uint32_t to, const std::int8_t* matrix, int firstRow, int rows, int firstInput,
                          int inputs) {
    constexpr int kColumns = kSide / 16, kRowsATurn = kThreads / kColumns;
    const int column = static_cast<int>(threadIdx.x) % kColumns;
#pragma unroll
    for (int row = static_cast<int>(threadIdx.x) / kColumns; row < kSide; row += kRowsATurn) {
        const bool there = firstRow + row < rows && firstInput + 16 * column < inputs;
        ampere::copy16(
            to + placeOf(row, column),
            there ? matrix + std::int64_t{firstRow + row} * inputs + firstInput + 16 * column : matrix,
            there ? 16 : 0);
    }
}

template <class Element>
__global__ void __launch_bounds__(kThreads) int8MmaKernel(const __grid_constant__ Int8MmaCall call) {
    using namespace ampere;
    extern __shared__ __align__(128) std::uint8_t raw[];
    const std::uint32_t shared = sharedAddress(raw);
    const Int8Extents& e = call.extents;
    const int rowBlock = static_cast<int>(blockIdx.x) / e.outputBlocks,
              outputBlock = static_cast<int>(blockIdx.x) % e.outputBlocks;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const int warpRow = warp % 2 * kWarpRows, warpOutput = warp / 2 * kWarpOutputs;
    const auto copyInputs = [&](int block) {
        const std::uint32_t stage = shared + block % 2 * kStageBytes;
        copyBlock(stage, call.x, rowBlock * kSide, e.rows, block * kSide, e.inputs);
        copyBlock(stage + kTileBytes, call.weight, outputBlock * kSide, e.outputs, block * kSide, e.inputs);
        commitCopies();
    };
    constexpr int kRowTiles = kWarpRows / 16, kOutputTiles = kWarpOutputs / 8;
    float totals[kRowTiles][kOutputTiles][4] = {};
    copyInputs(0);
#pragma unroll 1
    for (int block = 0; block < e.blocks; ++block) {
        waitCopies<0>();
        __syncthreads();  // this block is there, the one before was read
        if (block + 1 < e.blocks) copyInputs(block + 1);
        const std::uint32_t rows = shared + block % 2 * kStageBytes, weight = rows + kTileBytes;
        std::int32_t sums[kRowTiles][kOutputTiles][4] = {};
#pragma unroll
        for (int step = 0; step < kSide / 32; ++step) {
            std::uint32_t w[kOutputTiles / 2][4];
#pragma unroll
            for (int n = 0; n < kOutputTiles / 2; ++n)
                loadMatrices(w[n], weight + placeOf(warpOutput + 16 * n + lane / 16 * 8 + lane % 8,
                                                    2 * step + lane / 8 % 2));
#pragma unroll
            for (int m = 0; m < kRowTiles; ++m) {
                std::uint32_t x[4];
                loadMatrices(x, rows + placeOf(warpRow + 16 * m + lane % 16, 2 * step + lane / 16));
#pragma unroll
                for (int n = 0; n < kOutputTiles / 2; ++n) {
                    multiplyInt8(sums[m][2 * n], x, w[n][0], w[n][1]);
                    multiplyInt8(sums[m][2 * n + 1], x, w[n][2], w[n][3]);
                }
            }
        }
        const float scale = __ldg(call.weightScales + std::int64_t{outputBlock} * e.blocks + block) *
                            __ldg(call.xScales + std::int64_t{rowBlock} * e.blocks + block);
#pragma unroll
        for (int m = 0; m < kRowTiles; ++m)
#pragma unroll
            for (int n = 0; n < kOutputTiles; ++n)
#pragma unroll
                for (int i = 0; i < 4; ++i)
                    totals[m][n][i] = fmaf(static_cast<float>(sums[m][n][i]), scale, totals[m][n][i]);
    }
    auto* out = static_cast<Element*>(call.out);
#pragma unroll
    for (int n = 0; n < kOutputTiles; ++n) {
        const int output = outputBlock * kSide + warpOutput + 8 * n + lane % 4 * 2;
        if (output >= e.outputs) continue;
        const float2 bias =
            call.bias != nullptr ? __ldg(reinterpret_cast<const float2*>(call.bias + output)) : float2{};
#pragma unroll
        for (int m = 0; m < kRowTiles; ++m)
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                const int row = rowBlock * kSide + warpRow + 16 * m + lane / 4 + 8 * r;
                if (row < e.rows)
                    *reinterpret_cast<std::uint32_t*>(out + std::int64_t{row} * e.outputs + output) =
                        packedPair<Element>(totals[m][n][2 * r] + bias.x, totals[m][n][2 * r + 1] + bias.y);
            }
    }
}

template <class Element>
void multiply(const Int8Product& call, void* stream) {
    const Int8MmaCall queued{.extents = Int8Extents(call),
                             .x = static_cast<const std::int8_t*>(call.x),
                             .weight = static_cast<const std::int8_t*>(call.weight),
                             .xScales = call.xScales,
                             .weightScales = call.weightScales,
                             .bias = call.bias,
                             .out = call.out};
    const auto kernel = &int8MmaKernel<Element>;
    allowShared(kernel, kMmaSharedBytes);
    kernel<<<blocksOf(std::int64_t{queued.extents.rowBlocks} * queued.extents.outputBlocks), kThreads,
             kMmaSharedBytes, static_cast<cudaStream_t>(stream)>>>(queued);
    checkLaunch("int8Product");
}

}  // namespace

void int8ProductByMma(const Int8Product& call, void* stream) {
    call.type == DataType::Float16 ? multiply<__half>(call, stream) : multiply<__nv_bfloat16>(call, stream);
}

}  // namespace reelgrid::kernels::cuda::device
