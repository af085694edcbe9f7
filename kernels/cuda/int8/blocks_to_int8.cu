#include "kernels/cuda/gelu.cuh"
#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kSide = static_cast<int>(kInt8Block);

/// The block's largest of ordered bits.
template <int kThreads>
__device__ std::uint32_t blockMost(std::uint32_t bits, std::uint32_t* perWarp) {
    for (int distance = 16; distance > 0; distance /= 2)
        bits = max(bits, __shfl_xor_sync(0xffffffffU, bits, distance));
    if (threadIdx.x % 32 == 0) perWarp[threadIdx.x / 32] = bits;
    __syncthreads();
    std::uint32_t most = perWarp[0];
    for (int warp = 1; warp < kThreads / 32; ++warp) most = max(most, perWarp[warp]);
    return most;
}

/// The largest magnitude of what it is shown, in fp32's bits. As integers magnitudes are ordered as they are,
/// infinity and NaN above all numbers; two of sixteen bits are looked at in one instruction.
template <class T>
class Most {
  public:
    __device__ void look(const Pack<T, 8>& pack) {
        const auto* words = reinterpret_cast<const std::uint32_t*>(&pack);
#pragma unroll
        for (int i = 0; i < static_cast<int>(sizeof(pack) / 4); ++i)
            m_most = sizeof(T) == 2 ? __vmaxu2(m_most, words[i] & 0x7FFF7FFFU)
                                    : max(m_most, words[i] & 0x7FFFFFFFU);
    }
    __device__ std::uint32_t bits() const {
        if constexpr (sizeof(T) == 4) return m_most;
        const auto most = static_cast<std::uint16_t>(max(m_most >> 16, m_most & 0xFFFFU));
        if constexpr (std::is_same_v<T, __half>)
            return __float_as_uint(__half2float(__ushort_as_half(most)));
        else
            return std::uint32_t{most} << 16;
    }

  private:
    std::uint32_t m_most = 0;
};

/// Eight values as bytes: x · factor, at most 128 in magnitude, to the nearest, ties to even, at most 127.
__device__ uint2 eightInt8(const float (&x)[8], float factor) {
    // From 2^23 to 2^24 fp32 has the integers, whose last eight bits are int8's.
    constexpr float kInteger = 12582912;  // 1.5 · 2^23
    std::uint32_t words[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        std::uint32_t bits[4];
#pragma unroll
        for (int k = 0; k < 4; ++k)
            bits[k] = __float_as_uint(__fadd_rn(fminf(__fmul_rn(x[4 * i + k], factor), 127.0F), kInteger));
        words[i] =
            __byte_perm(__byte_perm(bits[0], bits[1], 0x40), __byte_perm(bits[2], bits[3], 0x40), 0x5410);
    }
    return {words[0], words[1]};
}

/// Of a block of 128 by 128, so that 1024 threads of a multiprocessor have the registers that they need: with
/// gelu a thread takes fewer values.
template <Activation kActivation>
constexpr int kThreadsOf = kActivation == Activation::None ? 256 : 512;

/// One CUDA block for 128 by 128, in registers between its one reading and its one writing.
template <class T, Activation kActivation, int kThreads = kThreadsOf<kActivation>>
__global__ void __launch_bounds__(kThreads, (sizeof(T) == 2 ? 1024 : 512) / kThreads)
    quantiseInt8Blocks(const BlocksToInt8 call, int across) {
    constexpr int kColumns = kSide / 8, kRowsAtOnce = kThreads / kColumns, kTurns = kSide / kRowsAtOnce;
    __shared__ std::uint32_t perWarp[kThreads / 32];
    const std::int64_t firstRow = std::int64_t{blockIdx.x} / across * kSide + threadIdx.x / kColumns;
    const int column =
        static_cast<int>(blockIdx.x) % across * kSide + static_cast<int>(threadIdx.x) % kColumns * 8;
    const int rows =
        column < call.channels ? static_cast<int>(min(call.rows - firstRow, std::int64_t{kSide})) : 0;
    const T* from = static_cast<const T*>(call.x) + firstRow * call.channels + column;

    Pack<T, 8> packs[kTurns] = {};
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn)
        if (turn * kRowsAtOnce < rows)
            packs[turn] = Pack<T, 8>::load(from + turn * kRowsAtOnce * call.channels);
    Most<T> own;
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
        if constexpr (kActivation == Activation::GeluTanh) {
            float values[8];
#pragma unroll
            for (int k = 0; k < 8; ++k) values[k] = geluTanh(toFloat(packs[turn].values[k]));
            packs[turn] = packed<T>(values);
        }
        own.look(packs[turn]);
        if constexpr (sizeof(T) == 2) keepPacked(reinterpret_cast<uint4&>(packs[turn]));
    }
    const std::uint32_t bits = blockMost<kThreads>(own.bits(), perWarp);
    const bool finite = bits < 0x7F800000U;
    const float scale = fmaxf(__uint_as_float(bits), 1e-8F) * (1.0F / 128.0F);
    const float factor = __frcp_rn(scale);  // 128 / most, as the scale is exact
    if (threadIdx.x == 0) call.scales[blockIdx.x] = finite ? scale : __uint_as_float(0x7FC00000U);

    auto* out = static_cast<std::uint8_t*>(call.out) + firstRow * call.channels + column;
#pragma unroll
    for (int turn = 0; turn < kTurns; ++turn) {
        if (turn * kRowsAtOnce >= rows) continue;
        float x[8];
#pragma unroll
        for (int k = 0; k < 8; ++k) x[k] = toFloat(packs[turn].values[k]);
        *reinterpret_cast<uint2*>(out + turn * kRowsAtOnce * call.channels) =
            finite ? eightInt8(x, factor) : uint2{};
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
        const auto launch = [&]<Activation kActivation>() {
            quantiseInt8Blocks<T, kActivation>
                <<<blocks, kThreadsOf<kActivation>, 0, queue>>>(call, static_cast<int>(across));
        };
        if (call.activation == Activation::GeluTanh)
            launch.template operator()<Activation::GeluTanh>();
        else
            launch.template operator()<Activation::None>();
    });
    checkLaunch("blocksToInt8");
}

}  // namespace reelgrid::kernels::cuda::device
