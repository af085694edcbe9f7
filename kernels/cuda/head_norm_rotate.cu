#include "kernels/cuda/head_rows.cuh"
#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

constexpr int kWarps = 4;  // of a block, each with a token of its own
constexpr int kLanes = 32;

/// A warp a token, whose heads lie side by side in its lanes, several at a time; each is read and written
/// once.
template <class T, int HeadDim>
__global__ void __launch_bounds__(kWarps* kLanes) headNormRotateRows(HeadNormRotate call) {
    constexpr int kPack = kWide<T>, kHeadLanes = HeadDim / kPack;
    using Floats = Pack<float, kPack>;
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
    if (row >= call.rows) return;
    T* x = static_cast<T*>(call.x) + row * call.rowStride;
    const int channels = static_cast<int>(call.channels), inHead = lane % kHeadLanes * kPack;
    const auto weights = Floats::load(call.weight + inHead), biases = Floats::load(call.bias + inHead);
    const std::int64_t rotated = row % call.tokens - call.firstRotated;
    const bool rotates = call.rotary != nullptr && rotated >= 0;
    Floats angles{};
    if (rotates) angles = Floats::load(call.rotary + rotated * HeadDim + inHead);

    // Lanes beyond the last channel stay for the sums.
    for (int begin = 0; begin < channels; begin += kLanes * kPack) {
        const int c = begin + lane * kPack;
        const bool isThere = c < channels;
        float values[kPack] = {};
        if (isThere) {
            const auto pack = Pack<T, kPack>::load(x + c);
#pragma unroll
            for (int k = 0; k < kPack; ++k) values[k] = toFloat(pack.values[k]);
        }
        float sum = 0;
#pragma unroll
        for (int k = 0; k < kPack; ++k) sum += values[k];
        const float mean = headSum<kHeadLanes>(sum) / HeadDim;
        float squares = 0;
#pragma unroll
        for (int k = 0; k < kPack; ++k) {
            values[k] -= mean;
            squares += values[k] * values[k];
        }
        const float scale = rsqrtf(headSum<kHeadLanes>(squares) / HeadDim + call.eps);
#pragma unroll
        for (int k = 0; k < kPack; ++k) values[k] = values[k] * scale * weights.values[k] + biases.values[k];
        if (rotates) {
#pragma unroll
            for (int p = 0; p < kPack; p += 2) {
                const float even = values[p], odd = values[p + 1];
                const float cosine = angles.values[p], sine = angles.values[p + 1];
                values[p] = even * cosine - odd * sine;
                values[p + 1] = even * sine + odd * cosine;
            }
        }
        if (isThere) packed<T>(values).store(x + c);
    }
}

}  // namespace

void headNormRotate(const HeadNormRotate& call, void* stream) {
    if (call.rows == 0) return;
    const auto blocks = rowBlocks((call.rows + kWarps - 1) / kWarps);
    withType(call.type, [&]<class T>(T*) {
        withHeadDim(call.headDim, [&]<class Head>(Head) {
            headNormRotateRows<T, Head::kDim>
                <<<blocks, kWarps * kLanes, 0, static_cast<cudaStream_t>(stream)>>>(call);
        });
    });
    checkLaunch("headNormRotate");
}

}  // namespace reelgrid::kernels::cuda::device
