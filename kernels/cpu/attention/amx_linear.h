#pragma once

// sla's linear branch (linear_branch.h) by matrix tiles: the same definition, bf16 operands and fp32 sums.
// Included by attention_amx.cpp only.

#include "kernels/cpu/attention/amx_tile.h"

namespace reelgrid::kernels::cpu {
namespace {

/// c(2 × 2 tiles) += a (2 tiles below each other) · b (2 beside each other); `weave` runs between the
/// products.
template <class Product, class Weave>
inline void multiplyFour(const std::uint32_t* a, std::int64_t aNext, const std::uint32_t* b,
                         std::int64_t bNext, const Weave& weave) {
    loadTile<4>(a, 64);
    loadPassingTile<6>(b, 64);
    Product::template add<0, 4, 6>();
    weave();
    loadPassingTile<7>(b + bNext, 64);
    Product::template add<1, 4, 7>();
    weave();
    loadTile<5>(a + aNext, 64);
    Product::template add<3, 5, 7>();
    weave();
    Product::template add<2, 5, 6>();
    weave();
}

/// Turns a square matrix of `size` × `size` floats, a multiple of 16, in place.
inline void transposeSquare(float* matrix, int size) {
    alignas(64) std::uint32_t upper[kTileUnits];
    alignas(64) std::uint32_t lower[kTileUnits];
    auto* units = reinterpret_cast<std::uint32_t*>(matrix);
    for (int row = 0; row < size; row += 16)
        for (int column = 0; column <= row; column += 16) {
            std::uint32_t* below = units + row * size + column;
            std::uint32_t* above = units + column * size + row;
            Avx512::transpose<16>(below, size, 16, upper, 16);
            Avx512::transpose<16>(above, size, 16, lower, 16);
            for (int i = 0; i < 16; ++i) {
                Avx512::store(below + i * size, Avx512::load(lower + i * 16));
                Avx512::store(above + i * size, Avx512::load(upper + i * 16));
            }
        }
}

/// φ of a row: the softmax over its dimensions; the padding becomes 0.
template <DataType kType>
inline void featuresOf(const char* row, int dim, int paddedDim, float* features) {
    __m512 most = _mm512_set1_ps(-HUGE_VALF);
    for (int d = 0; d < dim; d += 16) {
        const __m512 x = elementsAt<kType>(row, d, dim);
        most = _mm512_mask_max_ps(most, d + 16 <= dim ? 0xFFFF : Avx512::firstLanes(dim - d), x, most);
    }
    const __m512 log2E = _mm512_set1_ps(kLog2E);
    const __m512 shift = _mm512_set1_ps(_mm512_reduce_max_ps(most) * kLog2E);
    __m512 sums = _mm512_setzero_ps();
    for (int d = 0; d < paddedDim; d += 16) {
        const __mmask16 mask = d + 16 <= dim ? 0xFFFF : d < dim ? Avx512::firstLanes(dim - d) : 0;
        const __m512 power = _mm512_maskz_mov_ps(
            mask, powerOf2(_mm512_fmsub_ps(elementsAt<kType>(row, d, dim), log2E, shift)));
        _mm512_storeu_ps(features + d, power);
        sums = _mm512_add_ps(sums, power);
    }
    const __m512 inverse = _mm512_set1_ps(1 / _mm512_reduce_add_ps(sums));
    for (int d = 0; d < paddedDim; d += 16)
        _mm512_storeu_ps(features + d, _mm512_mul_ps(_mm512_loadu_ps(features + d), inverse));
}

inline void featuresOfRow(DataType type, const char* row, int dim, int paddedDim, float* features) {
    forType(type, [&](auto each) { featuresOf<decltype(each)::kValue>(row, dim, paddedDim, features); });
}

/// Keys whose features are made before they are multiplied.
constexpr int kFeatureKeys = 128;

/// Σ over the run's keys of φ(k)ᵀ v, turned, and Σ φ(k).
inline void sumTiledKeyValues(const KeyValueArgs& args) {
    const int dims = args.paddedDim;
    float* wide[2] = {args.scratch, args.scratch + kMaxHeadDim};
    auto* pairs = reinterpret_cast<std::uint32_t*>(args.scratch + 2 * kMaxHeadDim);  // [16][dims]
    std::uint32_t* features =
        pairs + 16 * kMaxHeadDim;  // [kFeatureKeys / 32][dims / 16] tiles, a feature a row
    startTiles();
    std::memset(args.products, 0, static_cast<std::size_t>(dims) * dims * sizeof(float));
    std::memset(args.keySum, 0, static_cast<std::size_t>(dims) * sizeof(float));
    for (int first = 0; first < args.count; first += kFeatureKeys) {
        const int left = args.count - first < kFeatureKeys ? args.count - first : kFeatureKeys;
        const int blocks = (left + kAmxKeys - 1) / kAmxKeys;
        for (int pair = 0; pair < blocks * 16; ++pair) {
            for (int i = 0; i < 2; ++i) {
                const int key = first + keyOfPair(pair, i);
                if (key < args.count) {
                    featuresOfRow(args.type, rowAt(args, key), args.dim, dims, wide[i]);
                } else {
                    std::memset(wide[i], 0, static_cast<std::size_t>(dims) * sizeof(float));
                }
                for (int d = 0; d < dims; d += 16)
                    _mm512_storeu_ps(args.keySum + d, _mm512_add_ps(_mm512_loadu_ps(args.keySum + d),
                                                                    _mm512_loadu_ps(wide[i] + d)));
            }
            Bf16Pairs::encodeAcross(wide[0], wide[1], dims, pairs + pair % 16 * dims);
            if (pair % 16 == 15)
                Avx512::transpose<16>(pairs, dims, dims, features + pair / 16 * 16 * dims, 16);
        }
        memoryBarrier();
        const std::int64_t blockUnits = std::int64_t{16} * dims;
        const std::uint32_t* values = args.packedValues + first / kAmxKeys * blockUnits;
        for (int k = 0; k < dims; k += 32)
            for (int v = 0; v < dims; v += 32) {
                float* sums = args.products + k * dims + v;
                const std::int64_t pitch = std::int64_t{4} * dims;
                loadTile<0>(sums, pitch);
                loadTile<1>(sums + 16, pitch);
                loadTile<2>(sums + 16 * dims, pitch);
                loadTile<3>(sums + 16 * dims + 16, pitch);
                for (int b = 0; b < blocks; ++b)
                    multiplyFour<Bf16Product>(features + b * blockUnits + k * 16, kTileUnits,
                                              values + b * blockUnits + v * 16, kTileUnits, [] {});
                storeTile<0>(sums, pitch);
                storeTile<1>(sums + 16, pitch);
                storeTile<2>(sums + 16 * dims, pitch);
                storeTile<3>(sums + 16 * dims + 16, pitch);
            }
    }
    endTiles();
    transposeSquare(args.products, dims);
}

/// The branch for one tile of queries.
struct AmxLinearBranch {
    const TileArgs& args;
    AmxScratch& scratch;
    AmxState& state;
    int depth = args.paddedDim / 32;

    /// result[query][rows of the matrix] = operand · matrixᵀ.
    void multiply(const std::uint32_t* matrix, float* result) const {
        memoryBarrier();
        const std::int64_t next = std::int64_t{depth} * kTileUnits;
        const std::int64_t pitch = std::int64_t{4} * args.paddedDim;
        for (int d = 0; d < args.paddedDim; d += 32) {
            zeroTile<0>();
            zeroTile<1>();
            zeroTile<2>();
            zeroTile<3>();
            for (int t = 0; t < depth; ++t)
                multiplyFour<Bf16Product>(state.queries + t * kTileUnits, next,
                                          matrix + d / 16 * next + t * kTileUnits, next, [] {});
            storeTile<0>(result + d, pitch);
            storeTile<1>(result + d + 16, pitch);
            storeTile<2>(result + 16 * args.paddedDim + d, pitch);
            storeTile<3>(result + 16 * args.paddedDim + d + 16, pitch);
        }
    }

    void setOperand(int query, const float* row) const {
        auto* units = reinterpret_cast<std::uint32_t*>(scratch.rows[1]);
        Bf16Pairs::encodeRow(row, args.paddedDim, units);
        for (int t = 0; t < depth; ++t)
            std::memcpy(state.queries + (query / 16 * depth + t) * kTileUnits + query % 16 * 16,
                        units + t * 16, 64);
    }

    /// The branch of every query, [kAmxQueries][paddedDim], in the space of scores and weights. That of Q is
    /// used, too.
    float* compute() const {
        float inverse[kAmxQueries];
        float* row = scratch.rows[0];
        for (int q = 0; q < kAmxQueries; ++q) {
            if (q < args.count)
                featuresOfRow(args.type,
                              static_cast<const char*>(args.q) + q * args.qStride * sizeOf(args.type),
                              args.dim, args.paddedDim, row);
            else
                std::memset(row, 0, static_cast<std::size_t>(args.paddedDim) * sizeof(float));
            __m512 total = _mm512_setzero_ps();
            for (int d = 0; d < args.paddedDim; d += 16)
                total = _mm512_fmadd_ps(_mm512_loadu_ps(row + d), _mm512_loadu_ps(args.linear->keySum + d),
                                        total);
            inverse[q] = 1 / (1e-5F + _mm512_reduce_add_ps(total));
            setOperand(q, row);
        }
        auto* result = reinterpret_cast<float*>(&scratch);
        static_assert(sizeof scratch.scores + sizeof scratch.weights >=
                      sizeof(float) * kAmxQueries * kMaxHeadDim);
        multiply(args.linear->values, result);
        for (int q = 0; q < kAmxQueries; ++q) {
            for (int d = 0; d < args.paddedDim; ++d) row[d] = result[q * args.paddedDim + d] * inverse[q];
            setOperand(q, row);
        }
        multiply(args.linear->projection, result);
        if (args.linear->bias != nullptr)
            for (int q = 0; q < args.count; ++q)
                for (int d = 0; d < args.dim; ++d) result[q * args.paddedDim + d] += args.linear->bias[d];
        return result;
    }
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
