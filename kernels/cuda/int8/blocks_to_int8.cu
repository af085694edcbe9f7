#include "kernels/cuda/gelu.cuh"
#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kThreads = 256;
constexpr int kSide = static_cast<int>(kInt8Block);

/// The block's largest of ordered bits.
__device__ std::uint32_t blockMost(std::uint32_t bits, std::uint32_t* perWarp) {
    for (int distance = 16; distance > 0; distance /= 2)
        bits = max(bits, __shfl_xor_sync(0xffffffffU, bits, distance));
    if (threadIdx.x % 32 == 0) perWarp[threadIdx.x / 32] = bits;
    __syncthreads();
    std::uint32_t most = perWarp[0];
    for (int warp = 1; warp < kThreads / 32; ++warp) most = max(most, perWarp[warp]);
    return most;
}

/// Eight values as bytes: x · factor to the nearest, ties to even, within int8's range.
__device__ uint2 eightInt8(const float (&x)[8], float factor) {
    std::uint32_t words[2] = {};
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int integer = min(127, max(-128, __float2int_rn(x[i] * factor)));
        words[i / 4] |= static_cast<std::uint32_t>(integer & 0xFF) << (i % 4 * 8);
    }
    return {words[0], words[1]};
}

/// One CUDA block for 128 by 128, in registers between its one reading and its one writing.
template <class T, Activation kActivation>
__global__ void __launch_bounds__(kThreads) quantiseInt8Blocks(const BlocksToInt8 call, int across) {
    constexpr int kColumns = kSide / 8, kRowsAtOnce = kThreads / kColumns, kTurns = kSide / kRowsAtOnce;
    __shared__ std::uint32_t perWarp[kThreads / 32];
    const std::int64_t firstRow = std::int64_t{blockIdx.x} / across * kSide + threadIdx.x / kColumns;
    const int column =
        static_cast<int>(blockIdx.x) % across * kSide + static_cast<int>(threadIdx.x) % kColumns * 8;
    const bool inside = column < call.channels;
    const T* from = static_cast<const T*>(call.x) + firstRow * call.channels + column;

    Pack<T, 8> packs[kTurns] = {};
    std::uint32_t bits = 0;
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
        if (!inside || firstRow + turn * kRowsAtOnce >= call.rows) continue;
        packs[turn] = Pack<T, 8>::load(from + turn * kRowsAtOnce * call.channels);
        if constexpr (kActivation == Activation::GeluTanh) {
            float values[8];
#pragma unroll
            for (int k = 0; k < 8; ++k) values[k] = geluTanh(toFloat(packs[turn].values[k]));
            packs[turn] = packed<T>(values);
        }
        // As integers magnitudes are ordered as they are, infinity and NaN above all numbers.
#pragma unroll
        for (int k = 0; k < 8; ++k)
            bits = max(bits, __float_as_uint(toFloat(packs[turn].values[k])) & 0x7FFFFFFFU);
    }
    bits = blockMost(bits, perWarp);
    const bool finite = bits < 0x7F800000U;
    const float most = fmaxf(__uint_as_float(bits), 1e-8F);
    const float factor = finite ? 128.0F / most : 0.0F;
    if (threadIdx.x == 0)
        call.scales[blockIdx.x] = finite ? most * (1.0F / 128.0F) : __uint_as_float(0x7FC00000U);

    auto* out = static_cast<std::uint8_t*>(call.out) + firstRow * call.channels + column;
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
        if (!inside || firstRow + turn * kRowsAtOnce >= call.rows) continue;
        float x[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) x[k] = finite ? toFloat(packs[turn].values[k]) : 0.0F;
        *reinterpret_cast<uint2*>(out + turn * kRowsAtOnce * call.channels) = eightInt8(x, factor);
    }
}

}  // namespace

void blocksToInt8(const BlocksToInt8& call, void* stream) {
    if (call.rows == 0) return;
    const auto blocksOf = [](std::int64_t side) { return (side + kInt8Block - 1) / kInt8Block; };
    const std::int64_t across = blocksOf(call.channels);
    const unsigned blocks = rowBlocks(blocksOf(call.rows) * across);
    const auto queue = static_cast<cudaStream_t>(stream);
    withType(call.type, [&]<class T>(T*) {
        const auto kernel = call.activation == Activation::GeluTanh
                                ? &quantiseInt8Blocks<T, Activation::GeluTanh>
                                : &quantiseInt8Blocks<T, Activation::None>;
        kernel<<<blocks, kThreads, 0, queue>>>(call, static_cast<int>(across));
    });
    checkLaunch("blocksToInt8");
}

}  // namespace reelgrid::kernels::cuda::device
