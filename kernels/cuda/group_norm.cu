#include <algorithm>

#include "kernels/cuda/kernels.cuh"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/silu.cuh"

namespace reelgrid::kernels::cuda::device {
namespace {

/// Threads of a block, about: as many lie side by side as a pixel has packs, the rest below them.
constexpr int kThreads = 256;
/// Pixels that a thread reads ahead.
constexpr int kAhead = 4;
/// Pixels that a thread maps: it holds its channels' numbers meanwhile.
constexpr int kMapped = 8;

struct BlockShape {
    int packs, below;
    [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(packs * below); }
};

template <class T>
BlockShape blockShape(std::int64_t channels) {
    const int packs = static_cast<int>(channels) / kWide<T>;
    return {packs, std::max(1, kThreads / packs)};
}

/// Sums of x - x's first pixel, and of the squares of that, of each channel over a run of a picture's pixels.
template <class T>
__global__ void sumRuns(GroupNorm call, int packs, int below) {
    constexpr int kPack = kWide<T>;
    extern __shared__ float shared[];
    const int channels = static_cast<int>(call.channels);
    const int pack = static_cast<int>(threadIdx.x) % packs, row = static_cast<int>(threadIdx.x) / packs;
    const std::int64_t parts = gridDim.x, each = (call.pixels + parts - 1) / parts;
    const std::int64_t begin = blockIdx.x * each, end = min(begin + each, call.pixels);
    const T* x = static_cast<const T*>(call.x) +
                 static_cast<std::int64_t>(blockIdx.y) * call.pixels * channels + pack * kPack;
    const auto origin = Pack<T, kPack>::load(x);
    float sums[kPack] = {}, squares[kPack] = {};
    for (std::int64_t first = begin + row; first < end; first += below * kAhead) {
        Pack<T, kPack> ahead[kAhead];
#pragma unroll
        for (int i = 0; i < kAhead; ++i) {
            const std::int64_t pixel = first + i * below;
            ahead[i] = pixel < end ? Pack<T, kPack>::load(x + pixel * channels) : origin;
        }
#pragma unroll
        for (int i = 0; i < kAhead; ++i) {
#pragma unroll
            for (int k = 0; k < kPack; ++k) {
                const float distance = toFloat(ahead[i].values[k]) - toFloat(origin.values[k]);
                sums[k] += distance;
                squares[k] += distance * distance;
            }
        }
    }
    float* out = call.workspace + (blockIdx.y * parts + blockIdx.x) * 2 * call.channels;
    for (int kind = 0; kind < 2; ++kind) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < kPack; ++k)
            shared[row * channels + pack * kPack + k] = kind == 0 ? sums[k] : squares[k];
        __syncthreads();
        for (int c = static_cast<int>(threadIdx.x); c < channels; c += static_cast<int>(blockDim.x)) {
            float total = 0;
            for (int i = 0; i < below; ++i) total += shared[i * channels + c];
            out[kind * channels + c] = total;
        }
    }
}

__device__ double blockSumOfDoubles(double x, double* shared) {
    __syncthreads();
    shared[threadIdx.x] = x;
    __syncthreads();
    for (int half = kThreads / 2; half > 0; half /= 2) {
        if (static_cast<int>(threadIdx.x) < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    return shared[0];
}

/// A block has a group of a picture: from its channels' sums a factor and a shift of each.
template <class T>
__global__ void __launch_bounds__(kThreads) mapGroups(GroupNorm call, int parts, float* map) {
    extern __shared__ float
        kept[];  // of each channel: the mean's distance from the first pixel, the variance
    __shared__ double forSums[kThreads];
    __shared__ float runs[2][kThreads];
    const int channels = static_cast<int>(call.channels), own = channels / static_cast<int>(call.groups);
    const int first = static_cast<int>(blockIdx.x) * own, tid = static_cast<int>(threadIdx.x);
    const auto picture = static_cast<std::int64_t>(blockIdx.y);
    const float* sums = call.workspace + picture * parts * 2 * channels + first;
    // So many channels lie side by side, and below them so many threads that each take some of the runs.
    const int beside = min(own, kThreads), below = kThreads / beside;
    const auto pixels = static_cast<float>(call.pixels);
    for (int base = 0; base < own; base += beside) {
        const int c = base + tid % beside, row = tid / beside;
        float sum = 0, square = 0;
        if (c < own && row < below)
            for (int part = row; part < parts; part += below) {
                sum += sums[part * 2 * channels + c];
                square += sums[(part * 2 + 1) * channels + c];
            }
        __syncthreads();
        runs[0][tid] = sum;
        runs[1][tid] = square;
        __syncthreads();
        if (row == 0 && c < own) {
            for (int i = 1; i < below; ++i) {
                sum += runs[0][i * beside + tid];
                square += runs[1][i * beside + tid];
            }
            const float mean = sum / pixels;
            kept[2 * c] = mean;
            kept[2 * c + 1] = fmaxf(square / pixels - mean * mean, 0.0F);
        }
    }
    __syncthreads();
    const T* origin = static_cast<const T*>(call.x) + picture * call.pixels * channels + first;
    const T* added = static_cast<const T*>(call.added);
    const auto meanOf = [&](int c) {
        double mean = static_cast<double>(toFloat(origin[c])) + kept[2 * c];
        if (added != nullptr) mean += toFloat(added[first + c]);
        return mean;
    };
    double total = 0;
    for (int c = tid; c < own; c += kThreads) total += meanOf(c);
    const double mean = blockSumOfDoubles(total, forSums) / own;
    total = 0;
    for (int c = tid; c < own; c += kThreads) {
        const double distance = meanOf(c) - mean;
        total += kept[2 * c + 1] + distance * distance;
    }
    const double variance = blockSumOfDoubles(total, forSums) / own;
    const double rate = 1.0 / sqrt(variance + static_cast<double>(call.eps));
    float* factors = map + picture * 2 * channels + first;
    for (int c = tid; c < own; c += kThreads) {
        const double factor = rate * toFloat(static_cast<const T*>(call.weight)[first + c]);
        const double before = added != nullptr ? static_cast<double>(toFloat(added[first + c])) : 0.0;
        factors[c] = static_cast<float>(factor);
        factors[channels + c] = static_cast<float>(toFloat(static_cast<const T*>(call.bias)[first + c]) +
                                                   (before - mean) * factor);
    }
}

template <class T, Activation How>
__global__ void mapPixels(GroupNorm call, const float* map, int packs, int below) {
    constexpr int kPack = kWide<T>;
    const int channels = static_cast<int>(call.channels);
    const int pack = static_cast<int>(threadIdx.x) % packs, row = static_cast<int>(threadIdx.x) / packs;
    const auto picture = static_cast<std::int64_t>(blockIdx.y);
    const float* factors = map + picture * 2 * channels + pack * kPack;
    const std::int64_t start = picture * call.pixels * channels + pack * kPack;
    const T* x = static_cast<const T*>(call.x) + start;
    T* out = static_cast<T*>(call.out) + start;
    float scales[kPack], shifts[kPack];
#pragma unroll
    for (int k = 0; k < kPack; ++k) {
        scales[k] = factors[k];
        shifts[k] = factors[channels + k];
    }
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * below * kMapped + row;
#pragma unroll
    for (int i = 0; i < kMapped; i += kAhead) {
        Pack<T, kPack> ahead[kAhead];
#pragma unroll
        for (int j = 0; j < kAhead; ++j)
            if (const std::int64_t pixel = first + (i + j) * below; pixel < call.pixels)
                ahead[j] = Pack<T, kPack>::load(x + pixel * channels);
#pragma unroll
        for (int j = 0; j < kAhead; ++j) {
            const std::int64_t pixel = first + (i + j) * below;
            if (pixel >= call.pixels) break;
            float values[kPack];
#pragma unroll
            for (int k = 0; k < kPack; ++k) {
                values[k] = toFloat(ahead[j].values[k]) * scales[k] + shifts[k];
                if constexpr (How == Activation::Silu) values[k] = silu(values[k]);
            }
            packed<T>(values).store(out + pixel * channels);
        }
    }
}

}  // namespace

void groupNorm(const GroupNorm& call, void* stream) {
    if (call.pictures == 0 || call.pixels == 0) return;
    const auto queue = static_cast<cudaStream_t>(stream);
    const auto pictures = static_cast<unsigned>(call.pictures);
    const auto parts = static_cast<unsigned>(groupNormRuns(call.pictures, call.pixels));
    float* map = call.workspace + call.pictures * parts * 2 * call.channels;
    withType(call.type, [&]<class T>(T*) {
        const BlockShape shape = blockShape<T>(call.channels);
        const std::size_t shared = shape.below * call.channels * sizeof(float);
        sumRuns<T><<<dim3(parts, pictures), shape.threads(), shared, queue>>>(call, shape.packs, shape.below);
        const std::size_t kept = 2 * (call.channels / call.groups) * sizeof(float);
        mapGroups<T><<<dim3(static_cast<unsigned>(call.groups), pictures), kThreads, kept, queue>>>(
            call, static_cast<int>(parts), map);
        const std::int64_t each = std::int64_t{shape.below} * kMapped;
        const dim3 blocks(rowBlocks((call.pixels + each - 1) / each), pictures);
        if (call.activation == Activation::Silu)
            mapPixels<T, Activation::Silu>
                <<<blocks, shape.threads(), 0, queue>>>(call, map, shape.packs, shape.below);
        else
            mapPixels<T, Activation::None>
                <<<blocks, shape.threads(), 0, queue>>>(call, map, shape.packs, shape.below);
    });
    checkLaunch("groupNorm");
}

}  // namespace reelgrid::kernels::cuda::device
