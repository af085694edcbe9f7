#pragma once

// What is done to single rows (tokens) before they are packed: widening, sums, maxima, e4m3, the rotation and
// the feature map. Included by the sources of the instruction sets only (see attention_tile.h).

#include <math.h>

#include "kernels/cpu/attention/tile_kernels.h"

namespace reelgrid::kernels::cpu {

/// Row `index` of the rows to pack, widened and padded with zeros to paddedDim.
template <class Isa>
inline void widenRow(DataType type, const void* rows, std::int64_t stride, int index, int dim, int paddedDim,
                     float* wide) {
    const char* row = static_cast<const char*>(rows) + index * stride * sizeOf(type);
    Isa::widen(type, row, dim, wide);  // to a whole register
    for (int d = (dim + Isa::kLanes - 1) / Isa::kLanes * Isa::kLanes; d < paddedDim; ++d) wide[d] = 0;
}

template <class Isa>
inline void widenRow(const RowArgs& args, int index, float* wide) {
    widenRow<Isa>(args.type, args.rows, args.rowStride, index, args.dim, args.paddedDim, wide);
}

template <class Isa>
void sumRows(const RowArgs& args, float* sums) {
    for (int d = 0; d < args.paddedDim; ++d) sums[d] = 0;
    for (int r = 0; r < args.count; ++r) {
        widenRow<Isa>(args, r, args.scratch);
        for (int d = 0; d < args.paddedDim; ++d) sums[d] += args.scratch[d];
    }
}

template <class Isa>
void sumDirections(const RowArgs& args, float* sums) {
    for (int d = 0; d < args.paddedDim; ++d) sums[d] = 0;
    for (int r = 0; r < args.count; ++r) {
        float* row = args.scratch;
        widenRow<Isa>(args, r, row);
        if (args.mean != nullptr)
            for (int d = 0; d < args.paddedDim; ++d) row[d] -= args.mean[d];
        float squares = 0;
        for (int d = 0; d < args.paddedDim; ++d) squares += row[d] * row[d];
        const float inverse = squares == 0 ? 0.0F : 1 / sqrtf(squares);
        for (int d = 0; d < args.paddedDim; ++d) sums[d] += row[d] * inverse;
    }
}

template <class Isa>
void channelMaxima(const RowArgs& args, float* maxima) {
    for (int d = 0; d < args.paddedDim; ++d) maxima[d] = 0;
    for (int r = 0; r < args.count; ++r) {
        widenRow<Isa>(args, r, args.scratch);
        for (int d = 0; d < args.paddedDim; d += Isa::kLanes)
            Isa::storeFloat(maxima + d,
                            Isa::max(Isa::abs(Isa::loadFloat(args.scratch + d)), Isa::loadFloat(maxima + d)));
    }
}

/// max |x| over many rows, or NaN when there is a NaN or an infinity.
template <class Isa>
class LargestMagnitude {
  public:
    void see(const float* x, int n) {
        for (int i = 0; i < n; i += Isa::kLanes) {
            const typename Isa::Float value = Isa::loadFloat(x + i);
            m_largest = Isa::max(m_largest, Isa::abs(value));
            m_probe = Isa::fma(value, Isa::set1(0), m_probe);
        }
    }
    [[nodiscard]] float result() const {
        float lanes[Isa::kLanes];
        float probes[Isa::kLanes];
        Isa::storeFloat(lanes, m_largest);
        Isa::storeFloat(probes, m_probe);
        float largest = 0;
        float nan = 0;
        for (int i = 0; i < Isa::kLanes; ++i) {
            if (lanes[i] > largest) largest = lanes[i];
            nan += probes[i];
        }
        return largest + nan;
    }

  private:
    typename Isa::Float m_largest = Isa::set1(0);
    typename Isa::Float m_probe = Isa::set1(0);  // becomes NaN with the first NaN or infinity
};

/// To the nearest e4m3 value, ties to even, subnormals kept; |x| < 464 is the caller's promise. Adding
/// 1.5 · 2^20 times the power of two of x leaves three bits of its mantissa; below 2^-6 the grain stays 2^-9.
template <class Isa>
inline typename Isa::Float roundE4m3(typename Isa::Float x) {
    const auto power = Isa::max(Isa::powerOfTwo(x), Isa::set1(0.015625F));
    const auto grain = Isa::set1(1572864.0F);
    return Isa::fnma(power, grain, Isa::fma(power, grain, x));
}

/// row · Hadamard matrix after a change of signs, unnormalised: lengths grow by √n. n is a power of two ≥ 16.
template <class Isa>
void rotateRow(float* row, const float* signs, int n) {
    using F = typename Isa::Float;
    constexpr int kLanes = Isa::kLanes;
    // The order of the sums, from the widest distance to the narrowest, is the same on every machine.
    for (int i = 0; i < n; i += kLanes)
        Isa::storeFloat(row + i, Isa::mul(Isa::loadFloat(row + i), Isa::loadFloat(signs + i)));
    int half = n / 2;
    for (; half >= 2 * kLanes; half /= 4)  // two distances at once
        for (int first = 0; first < n; first += 2 * half)
            for (int i = first; i < first + half / 2; i += kLanes) {
                float* at[4] = {row + i, row + i + half / 2, row + i + half, row + i + half + half / 2};
                const F a = Isa::loadFloat(at[0]), b = Isa::loadFloat(at[1]);
                const F c = Isa::loadFloat(at[2]), d = Isa::loadFloat(at[3]);
                const F ac = Isa::add(a, c), bd = Isa::add(b, d);
                const F aMinusC = Isa::sub(a, c), bMinusD = Isa::sub(b, d);
                Isa::storeFloat(at[0], Isa::add(ac, bd));
                Isa::storeFloat(at[1], Isa::sub(ac, bd));
                Isa::storeFloat(at[2], Isa::add(aMinusC, bMinusD));
                Isa::storeFloat(at[3], Isa::sub(aMinusC, bMinusD));
            }
    if (half == kLanes)
        for (int i = 0; i < n; i += 2 * kLanes) {
            const F a = Isa::loadFloat(row + i), b = Isa::loadFloat(row + i + kLanes);
            Isa::storeFloat(row + i, Isa::rotateLanes(Isa::add(a, b)));
            Isa::storeFloat(row + i + kLanes, Isa::rotateLanes(Isa::sub(a, b)));
        }
    else
        for (int i = 0; i < n; i += kLanes)
            Isa::storeFloat(row + i, Isa::rotateLanes(Isa::loadFloat(row + i)));
}

/// φ: the softmax over the head dim, in place; the padding becomes 0.
template <class Isa>
void softmaxRow(float* row, int dim, int paddedDim) {
    using F = typename Isa::Float;
    for (int d = dim; d < paddedDim; ++d) row[d] = -HUGE_VALF;
    F most = Isa::set1(-HUGE_VALF);
    for (int d = 0; d < paddedDim; d += Isa::kLanes) most = Isa::max(Isa::loadFloat(row + d), most);
    float lanes[Isa::kLanes];
    Isa::storeFloat(lanes, most);
    float largest = lanes[0];
    for (int i = 1; i < Isa::kLanes; ++i)
        if (lanes[i] > largest || lanes[i] != lanes[i]) largest = lanes[i];
    F sums = Isa::set1(0);
    const F shift = Isa::set1(largest * kLog2E);
    for (int d = 0; d < paddedDim; d += Isa::kLanes) {
        const F e = Isa::template exp2<6>(Isa::fmsub(Isa::loadFloat(row + d), Isa::set1(kLog2E), shift));
        Isa::storeFloat(row + d, e);
        sums = Isa::add(sums, e);
    }
    Isa::storeFloat(lanes, sums);
    float sum = 0;
    for (int i = 0; i < Isa::kLanes; ++i) sum += lanes[i];
    for (int d = 0; d < paddedDim; ++d) row[d] /= sum;
}

}  // namespace reelgrid::kernels::cpu
