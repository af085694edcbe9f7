#pragma once

// sla's linear branch (linear_branch.h) by matrix tiles: the same definition, bf16 operands and fp32 sums.
// Included by attention_amx.cpp only.

#include "kernels/cpu/attention/amx/amx_tile.h"

namespace reelgrid::kernels::cpu {
namespace {

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

/// φ of a row, 16 dimensions a register: the softmax over its dimensions; the padding becomes 0. kVectors:
/// registers of a row without padding, which then stays in them, or 0 for any.
template <DataType kType, int kVectors>
struct Features {
    static constexpr int kRoom = kVectors > 0 ? kVectors : kMaxHeadDim / 16;
    __m512 at[kRoom];

    __attribute__((always_inline)) Features(const char* row, int dim, int vectors) {
        const int count = kVectors > 0 ? kVectors : vectors;
        const auto mask = [&](int i) -> __mmask16 {
            if (kVectors > 0 || 16 * i + 16 <= dim) return 0xFFFF;
            return 16 * i < dim ? Avx512::firstLanes(dim - 16 * i) : 0;
        };
        __m512 most = _mm512_set1_ps(-HUGE_VALF);
#pragma GCC unroll 8
        for (int i = 0; i < count; ++i) {
            at[i] = Avx512::widen16(kType, row + 16 * i * sizeOf(kType), mask(i));
            most = _mm512_mask_max_ps(most, mask(i), at[i], most);
        }
        const __m512 log2E = _mm512_set1_ps(kLog2E);
        const __m512 shift = _mm512_set1_ps(_mm512_reduce_max_ps(most) * kLog2E);
        __m512 sums = _mm512_setzero_ps();
#pragma GCC unroll 8
        for (int i = 0; i < count; ++i) {
            at[i] = _mm512_maskz_mov_ps(mask(i), powerOf2(_mm512_fmsub_ps(at[i], log2E, shift)));
            sums = _mm512_add_ps(sums, at[i]);
        }
        const __m512 inverse = _mm512_set1_ps(1 / _mm512_reduce_add_ps(sums));
#pragma GCC unroll 8
        for (int i = 0; i < count; ++i) at[i] = _mm512_mul_ps(at[i], inverse);
    }
    __attribute__((always_inline)) Features() {
        for (auto& each : at) each = _mm512_setzero_ps();
    }
};

/// f(TypeIs<type>, VectorsAre<registers of a row>), the latter 0 but for the usual head dims.
template <class F>
inline void forRows(DataType type, int dim, int paddedDim, F f) {
    forType(type, [&](auto each) {
        if (dim == 128 && paddedDim == 128)
            f(each, VectorsAre<8>{});
        else if (dim == 64 && paddedDim == 64)
            f(each, VectorsAre<4>{});
        else
            f(each, VectorsAre<0>{});
    });
}

/// Keys whose features are made before they are multiplied.
constexpr int kFeatureKeys = 128;

/// φ of two keys, a key beyond the last one 0: pairs of bf16 side by side, added to `keySum`.
template <DataType kType, int kVectors>
inline void pairFeatures(const KeyValueArgs& args, int first, int second, std::uint32_t* pairs) {
    using Row = Features<kType, kVectors>;
    const int vectors = args.paddedDim / 16;
    const int count = kVectors > 0 ? kVectors : vectors;
    const Row a = first < args.count ? Row(rowAt(args, first), args.dim, vectors) : Row();
    const Row b = second < args.count ? Row(rowAt(args, second), args.dim, vectors) : Row();
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i) {
        float* sum = args.keySum + 16 * i;
        _mm512_storeu_ps(sum, _mm512_add_ps(_mm512_add_ps(_mm512_loadu_ps(sum), a.at[i]), b.at[i]));
        Avx512::store(pairs + 16 * i, Bf16Pairs::interleave(a.at[i], b.at[i]));
    }
}

/// Σ over the run's keys of φ(k)ᵀ v, turned, and Σ φ(k).
inline void sumTiledKeyValues(const KeyValueArgs& args) {
    const int dims = args.paddedDim;
    auto* pairs = reinterpret_cast<std::uint32_t*>(args.scratch);  // [16][dims]
    std::uint32_t* features =
        pairs + 16 * kMaxHeadDim;  // [kFeatureKeys / 32][dims / 16] tiles, a feature a row
    const std::int64_t blockUnits = std::int64_t{16} * dims;
    startTiles();
    std::memset(args.products, 0, static_cast<std::size_t>(dims) * dims * sizeof(float));
    std::memset(args.keySum, 0, static_cast<std::size_t>(dims) * sizeof(float));
    TileProducts products;
    for (int first = 0; first < args.count; first += kFeatureKeys) {
        const int left = args.count - first < kFeatureKeys ? args.count - first : kFeatureKeys;
        const int blocks = (left + kAmxKeys - 1) / kAmxKeys;
        forRows(args.type, args.dim, dims, [&](auto type, auto vectors) {
            for (int pair = 0; pair < blocks * 16; ++pair) {
                pairFeatures<decltype(type)::kValue, decltype(vectors)::kValue>(
                    args, first + keyOfPair(pair, 0), first + keyOfPair(pair, 1), pairs + pair % 16 * dims);
                if (pair % 16 == 15)
                    Avx512::transpose<16>(pairs, dims, dims, features + pair / 16 * blockUnits, 16);
            }
        });
        memoryBarrier();
        const std::uint32_t* values = args.packedValues + first / kAmxKeys * blockUnits;
        for (int k = 0; k < dims; k += 32)
            for (int v = 0; v < dims; v += 32) {
                const ResultPlace place{args.products + k * dims + v, 16, std::int64_t{16} * dims,
                                        std::int64_t{4} * dims};
                products.multiply<Bf16Product>(
                    blocks, FromPlace{place, true}, [=](int b) { return features + b * blockUnits + k * 16; },
                    kTileUnits, [=](int b) { return values + b * blockUnits + v * 16; }, kTileUnits, place,
                    [] {});
            }
        products.finish();
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
        const std::uint32_t* operand = state.queries;
        const std::int64_t next = std::int64_t{depth} * kTileUnits;
        TileProducts products;
        for (int d = 0; d < args.paddedDim; d += 32) {
            const std::uint32_t* rows = matrix + d / 16 * next;
            products.multiply<Bf16Product>(
                depth, FromZero{}, [=](int t) { return operand + t * kTileUnits; }, next,
                [=](int t) { return rows + t * kTileUnits; }, next,
                ResultPlace{result + d, 16, std::int64_t{16} * args.paddedDim,
                            std::int64_t{4} * args.paddedDim},
                [] {});
        }
        products.finish();
    }

    /// Where dimensions 32 t … 32 t + 31 of a query's operand lie.
    std::uint32_t* operandAt(int query, int t) const {
        return state.queries + (query / 16 * depth + t) * kTileUnits + query % 16 * 16;
    }

    /// φ of a query as the operand, and 1 / (1e-5 + φ(q) · Σ φ(k)).
    template <DataType kType, int kVectors>
    float setFeatures(int query) const {
        using Row = Features<kType, kVectors>;
        const int count = kVectors > 0 ? kVectors : args.paddedDim / 16;
        const Row row = query < args.count ? Row(queryAt(args, query), args.dim, count) : Row();
        __m512 total = _mm512_setzero_ps();
#pragma GCC unroll 8
        for (int i = 0; i < count; ++i)
            total = _mm512_fmadd_ps(row.at[i], _mm512_loadu_ps(args.linear->keySum + 16 * i), total);
#pragma GCC unroll 4
        for (int i = 0; i < count; i += 2)
            Avx512::store(operandAt(query, i / 2), Bf16Pairs::pair(row.at[i + 1], row.at[i]));
        return 1 / (1e-5F + _mm512_reduce_add_ps(total));
    }

    /// The branch of every query, [kAmxQueries][paddedDim], in the space of scores and weights. That of Q is
    /// used, too.
    float* compute() const {
        float inverse[kAmxQueries];
        forRows(args.type, args.dim, args.paddedDim, [&](auto type, auto vectors) {
            for (int q = 0; q < kAmxQueries; ++q)
                inverse[q] = setFeatures<decltype(type)::kValue, decltype(vectors)::kValue>(q);
        });
        auto* result = reinterpret_cast<float*>(&scratch);
        static_assert(sizeof scratch.scores + sizeof scratch.weights >=
                      sizeof(float) * kAmxQueries * kMaxHeadDim);
        multiply(args.linear->values, result);
        for (int q = 0; q < kAmxQueries; ++q) {
            const __m512 scale = _mm512_set1_ps(inverse[q]);
            const float* row = result + q * args.paddedDim;
            for (int t = 0; t < depth; ++t)
                Avx512::store(operandAt(q, t),
                              Bf16Pairs::pair(_mm512_mul_ps(_mm512_loadu_ps(row + 32 * t + 16), scale),
                                              _mm512_mul_ps(_mm512_loadu_ps(row + 32 * t), scale)));
        }
        multiply(args.linear->projection, result);
        if (args.linear->bias == nullptr) return result;
        for (int d = 0; d < args.dim; d += 16) {
            const __m512 bias =
                elementsAt<DataType::Float32>(reinterpret_cast<const char*>(args.linear->bias), d, args.dim);
            for (int q = 0; q < args.count; ++q) {
                float* to = result + q * args.paddedDim + d;
                _mm512_storeu_ps(to, _mm512_add_ps(_mm512_loadu_ps(to), bias));
            }
        }
        return result;
    }
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
