#pragma once

// Attention by matrix tiles: 32 queries against blocks of 32 keys. Scores S = Q Kᵀ are [queries, keys], so
// that P is an operand as it is computed and no row is ever turned. The tile unit and the vector unit work at
// the same time: while one block's weights are computed, the instruction stream has the products of the next
// block's scores, and of P·V of the turn before, between them. Included by attention_amx.cpp only.
//
// A "unit" is 32 bits (tile_kernels.h), a "tile" of memory 16 rows of 16 units. Layouts:
//   K of 32 keys  [2 tiles of 16 keys][units of a key / 16] tiles, a unit a row, a key a column
//   V of 32 keys  [paddedDim / 16] tiles, a pair of keys a row, a dimension a column
//   Q             [2 tiles of 16 queries][units of a query / 16] tiles, a query a row
//   O             [paddedDim / 32][2 of queries][2 of dimensions] tiles of floats
//   S             [32 queries][32 keys] floats or integers a block
//   P             [2 of queries] tiles a block, a query a row

#include <math.h>

#include <cstring>

#include "kernels/cpu/attention/amx/amx_memory.h"
#include "kernels/cpu/attention/amx/amx_products.h"
#include "kernels/cpu/attention/amx/amx_rows.h"
#include "kernels/cpu/attention/amx/amx_weights.h"
#include "kernels/cpu/attention/tiles/row_arithmetic.h"

namespace reelgrid::kernels::cpu {
namespace {

template <class Scores, class Values, bool LastFirst, bool Sparse>
class AmxTile {
  public:
    static constexpr int kTurnBlocks = Scores::kTurnBlocks;
    static constexpr int kTurnKeys = kTurnBlocks * kAmxKeys;
    static_assert(kTurnBlocks <= AmxScratch::kMostBlocks && kTurnBlocks % 2 == 0);
    static_assert(!Values::kFreeBase || kTurnBlocks == 4, "slots of scores of a turn and the next");

    void start(const TileArgs& args, AmxScratch& scratch, AmxState& state) {
        m_args = args;
        m_scratch = &scratch;
        m_state = &state;
        m_steps = args.paddedDim / Scores::kDimsPerUnit;
        m_depth = m_steps / 16;
        m_pairs = args.paddedDim / 32;
        m_blocksTogether = blocksTogether(m_pairs);
        m_blockKeyUnits = std::int64_t{kAmxKeys} * m_steps;
        m_blockValueUnits = std::int64_t{16} * args.paddedDim;
        m_factor = Scores::kScaled ? 1.0F : args.scale * kLog2E;
        packQueries();
        m_end = walkLength();
        m_seenByAll = args.scoreBias != nullptr ? 0 : Sparse ? m_end : state.limits[0] + std::int64_t{1};
        for (int q = 0; q < kAmxQueries; ++q) state.bases[q] = -HUGE_VALF;
        m_sums = 0;
        std::memset(state.sums[0], 0, sizeof state.sums[0]);
    }

    [[nodiscard]] const TileArgs& args() const { return m_args; }
    /// Keys of the walk that some query sees.
    [[nodiscard]] std::int64_t end() const { return m_end; }

    /// The walk's turns number first … last − 1 of `turns`; those at or beyond the walk's end do nothing.
    void walk(std::int64_t first, std::int64_t last, std::int64_t turns) {
        bool ahead = false;  // whether the turn's first block of scores is there
        for (std::int64_t i = first; i < last; ++i) {
            const std::int64_t turn = LastFirst ? turns - 1 - i : i;
            if (turn * kTurnKeys >= m_end) continue;
            if (isPlain(turn) && !m_allSeen) {
                seeFirstKeys(turn);
                ahead = m_allSeen;
            }
            if (!isPlain(turn) || !m_allSeen) {
                takeTurn(turn);
                ahead = false;
                continue;
            }
            if (!ahead) {
                for (int b = 0; b < m_blocksTogether; ++b)
                    scoreBlock(m_products, keysOf(turn, b), m_scratch->scores[b], [] {});
                m_products.finish();
            }
            const std::int64_t next = LastFirst ? turn - 1 : turn + 1;
            ahead = i + 1 < last && next * kTurnKeys < m_end && (next + 1) * kTurnKeys <= m_seenByAll;
            const std::int64_t made = ahead ? next : -1;
            if (!takePlainTurn(turn, made)) {
                takeTurn(turn);
                ahead = false;
            }
        }
        addPendingValues();
    }

    /// Normalises O and writes it, and the log-sum-exp, where they belong. `branch`: [kAmxQueries][paddedDim]
    /// to be added, or null.
    void finish(const float* branch) {
        const float* scales = Values::kScaled ? m_args.valueScales : nullptr;
        float* row = m_scratch->rows[0];
        for (int q = 0; q < m_args.count; ++q) {
            const float total = _mm512_reduce_add_ps(_mm512_load_ps(m_state->sums[m_sums][q]));
            const __m512 inverse = _mm512_set1_ps(total == 0 ? 0 : 1 / total);
            const auto normalised = [&](int d) {
                __m512 out = m_anyValues ? _mm512_loadu_ps(outputs(q, d)) : _mm512_setzero_ps();
                out = _mm512_mul_ps(out, inverse);
                if (scales != nullptr) out = _mm512_mul_ps(out, _mm512_loadu_ps(scales + d));
                if (branch != nullptr)
                    out = _mm512_add_ps(out, _mm512_loadu_ps(branch + q * m_args.paddedDim + d));
                return out;
            };
            auto* to = static_cast<char*>(m_args.out) + q * m_args.outStride * sizeOf(m_args.type);
            if (m_args.type == DataType::BFloat16 && m_args.dim == m_args.paddedDim) {
                for (int d = 0; d < m_args.dim; d += 32)
                    _mm512_storeu_si512(to + 2 * d, Bf16Pairs::pair(normalised(d + 16), normalised(d)));
            } else {
                for (int d = 0; d < m_args.paddedDim; d += 16) _mm512_storeu_ps(row + d, normalised(d));
                Avx512::narrow(m_args.type, row, m_args.dim, to);
            }
            if (m_args.lse == nullptr) continue;
            constexpr float kOffset = static_cast<float>(Values::kOffset) / kLog2E;
            m_args.lse[q] =
                total == 0 ? -HUGE_VALF
                           : m_state->bases[q] / kLog2E + (logf(total) - kOffset) + m_state->lseShifts[q];
        }
    }

  private:
    enum class Data {
        Raw,
        Amended
    };  // of a block of scores: as the tiles leave it, or scores to be used as they are

    float* outputs(int query, int d) const {
        return m_state->out + (d / 32 * 4 + query / 16 * 2 + d / 16 % 2) * kTileUnits + query % 16 * 16;
    }

    void packQueries() {
        float* wide = m_scratch->rows[0];
        auto* units = reinterpret_cast<std::uint32_t*>(m_scratch->rows[1]);
        if constexpr (Scores::kScaled)
            m_queryScale =
                Scores::scoreScale(m_args, m_args.queryScales[m_args.firstQuery / m_args.scaleQueries]);
        for (int q = 0; q < kAmxQueries; ++q) {
            m_state->lseShifts[q] = 0;
            if (!Scores::kScaled && q < m_args.count && m_args.type == DataType::BFloat16 &&
                m_args.dim == m_args.paddedDim) {
                std::memcpy(units, queryAt(m_args, q), static_cast<std::size_t>(m_steps) * 4);
            } else if (q < m_args.count) {
                encodeQuery(q, wide, units);
            } else {
                std::memset(units, 0, static_cast<std::size_t>(m_steps) * 4);
            }
            for (int t = 0; t < m_depth; ++t)
                std::memcpy(m_state->queries + (q / 16 * m_depth + t) * kTileUnits + q % 16 * 16,
                            units + t * 16, 64);
            std::int64_t last = m_args.keys - 1;
            if (m_args.causal && m_args.firstQuery + q + m_args.causalOffset < last)
                last = m_args.firstQuery + q + m_args.causalOffset;
            m_state->limits[q] = static_cast<std::int32_t>(last < -1 ? -1 : last);
        }
    }

    void encodeQuery(int query, float* wide, std::uint32_t* units) {
        if constexpr (requires { Scores::encodeStored(m_args, query, units); })
            return Scores::encodeStored(m_args, query, units);
        widenRow<Avx512>(m_args.type, m_args.q, m_args.qStride, query, m_args.dim, m_args.paddedDim, wide);
        if constexpr (Scores::kCentred) {
            if (m_args.lse != nullptr && m_args.keyMean != nullptr) {
                float dot = 0;
                for (int d = 0; d < m_args.dim; ++d) dot += wide[d] * m_args.keyMean[d];
                m_state->lseShifts[query] = dot * m_args.scale;
            }
        }
        if constexpr (Scores::kDimsPerUnit == 4) {
            const float factor = m_args.scale * kLog2E;
            int8Row<DataType::Float32>(reinterpret_cast<const char*>(wide), m_args.paddedDim,
                                       m_args.paddedDim, nullptr, &factor,
                                       m_args.queryScales[m_args.firstQuery / m_args.scaleQueries], units);
        } else {
            Scores::encodeQuery(m_args, wide, query, units);
        }
    }

    [[nodiscard]] std::int64_t walkLength() const {
        const std::int64_t visible = m_state->limits[m_args.count - 1] + std::int64_t{1};
        if constexpr (!Sparse) return visible;
        const std::int64_t lastBlock = std::int64_t{m_args.blocks[m_args.blockCount - 1]} * kBlockKeys;
        const std::int64_t lastKeys = visible - lastBlock < kBlockKeys ? visible - lastBlock : kBlockKeys;
        return (m_args.blockCount - 1) * std::int64_t{kBlockKeys} + lastKeys;
    }

    /// Which 32 keys of the head a block of the walk has.
    [[nodiscard]] std::int64_t blockAt(std::int64_t turn, int b) const {
        const std::int64_t walked = turn * kTurnBlocks + b;
        if constexpr (Sparse) return std::int64_t{m_args.blocks[walked / 2]} * 2 + walked % 2;
        return walked;
    }
    [[nodiscard]] const std::uint32_t* keysOf(std::int64_t turn, int b) const {
        return m_args.packedKeys + blockAt(turn, b) * m_blockKeyUnits;
    }
    [[nodiscard]] const std::uint32_t* valuesOf(std::int64_t turn, int b) const {
        return m_args.packedValues + blockAt(turn, b) * m_blockValueUnits;
    }
    [[nodiscard]] int blocksOf(std::int64_t turn) const {
        const std::int64_t left = (m_end - turn * kTurnKeys + kAmxKeys - 1) / kAmxKeys;
        return left < kTurnBlocks ? static_cast<int>(left) : kTurnBlocks;
    }
    /// What the products of a block are worth, in powers of two.
    [[nodiscard]] float factorOf(std::int64_t block) const {
        if constexpr (Scores::kScaled) return m_queryScale * m_args.keyScales[block];
        return m_factor;
    }
    /// Whether every query sees all of the turn's keys, and nothing is added to scores.
    [[nodiscard]] bool isPlain(std::int64_t turn) const {
        return Values::kFreeBase && (turn + 1) * kTurnKeys <= m_seenByAll;
    }

    /// The scores that a plain turn starts with, and bases by them, before there are any.
    void seeFirstKeys(std::int64_t turn) {
        for (int q = 0; q < kAmxQueries; ++q)
            _mm512_store_ps(m_scratch->raised[q], _mm512_set1_ps(-HUGE_VALF));
        for (int b = 0; b < m_blocksTogether; ++b)
            scoreBlock(m_products, keysOf(turn, b), m_scratch->scores[b], [] {});
        m_products.finish();
        for (int b = 0; b < m_blocksTogether; ++b) {
            const __m512 factor = _mm512_set1_ps(factorOf(blockAt(turn, b)));
            for (int q = 0; q < kAmxQueries; ++q)
                _mm512_store_ps(m_scratch->raised[q],
                                Scores::raised(m_scratch->scores[b] + q * kAmxKeys, factor,
                                               _mm512_load_ps(m_scratch->raised[q])));
        }
        raiseBases();
    }

    template <int kDims = 0, class Weave>
    __attribute__((always_inline)) void scoreBlock(TileProducts& products, const std::uint32_t* keys,
                                                   float* scores, const Weave& weave) {
        constexpr int kDepth = kDims / Scores::kDimsPerUnit / 16;
        const std::uint32_t* queries = m_state->queries;
        const std::int64_t next = std::int64_t{kDims > 0 ? kDepth : m_depth} * kTileUnits;
        products.multiply<typename Scores::Product, kDepth>(
            m_depth, typename Scores::Start{}, [=](int t) { return queries + t * kTileUnits; }, next,
            [=](int t) { return keys + t * kTileUnits; }, next, ResultPlace{scores, 16, 512, 128}, weave);
    }

    /// O of 32 dimensions += P V of the turn whose weights wait.
    template <int kBlocks = 0, class Weave>
    __attribute__((always_inline)) void addValues(TileProducts& products, int pair, const Weave& weave) {
        const ResultPlace place{m_state->out + pair * 4 * kTileUnits, kTileUnits, 2 * kTileUnits, 64};
        const std::uint32_t* packed = m_scratch->weights[m_parity ^ 1][0];
        const auto weights = [packed](int b) { return packed + b * 2 * kTileUnits; };
        const std::uint32_t* pairValues = m_args.packedValues + pair * 2 * kTileUnits;
        const auto values = [this, pairValues](int b) {
            return pairValues + blockAt(m_pendingTurn, b) * m_blockValueUnits;
        };
        products.multiply<Bf16Product, kBlocks>(m_pendingBlocks, FromPlace{place, m_anyValues}, weights,
                                                kTileUnits, values, kTileUnits, place, weave);
    }

    void addPendingValues() {
        memoryBarrier();
        if (m_pendingBlocks > 0) {
            for (int pair = 0; pair < m_pairs; ++pair) addValues(m_products, pair, [] {});
            valuesAreIn();
        }
        m_products.finish();
    }
    void valuesAreIn() {
        m_anyValues = true;
        m_pendingBlocks = 0;
    }
    void weightsWait(std::int64_t turn, int blocks) {
        m_pendingTurn = turn;
        m_pendingBlocks = blocks;
        m_parity ^= 1;
    }

    /// A turn that every query sees all of, while the products of the next blocks and of the turn before go
    /// on. False, with the turn undone, when its scores are too far above what weights are relative to.
    bool takePlainTurn(std::int64_t turn, std::int64_t next) {
        if (m_args.lse != nullptr) return takePlainTurn<0>(FullWeights<Scores, Values>{}, turn, next);
        if (m_args.paddedDim == 64) return takePlainTurn<64>(ShortWeights<Scores>{}, turn, next);
        if (m_args.paddedDim == 128) return takePlainTurn<128>(ShortWeights<Scores>{}, turn, next);
        return takePlainTurn<0>(ShortWeights<Scores>{}, turn, next);
    }

    /// kDims: the padded head dim, for loops without counters, or 0 for any.
    template <int kDims, class Weights>
    bool takePlainTurn(Weights weights, std::int64_t turn, std::int64_t next) {
        if (m_pendingBlocks < kTurnBlocks) addPendingValues();
        const bool pending = m_pendingBlocks > 0;
        const int together = kDims > 0 ? blocksTogether(kDims / 32) : m_blocksTogether;
        for (int b = 0; b < kTurnBlocks; b += together) {
            const bool more = b + together < kTurnBlocks;
            const Step step{turn, b, more ? turn : next, more ? b + together : 0};
            if (step.scoredTurn >= 0 && pending)
                takeStep<kDims, true, true>(weights, step);
            else if (step.scoredTurn >= 0)
                takeStep<kDims, true, false>(weights, step);
            else if (pending)
                takeStep<kDims, false, true>(weights, step);
            else
                takeStep<kDims, false, false>(weights, step);
        }
        if (pending) valuesAreIn();
        if (weights.leftRange()) return false;
        m_sums ^= 1;
        weightsWait(turn, kTurnBlocks);
        return true;
    }

    /// Blocks that a plain turn weighs together: as many as one pair of tiles of O is multiplied for.
    static constexpr int blocksTogether(int pairs) { return 2 * pairs <= kTurnBlocks ? 2 : 1; }

    struct Step {
        std::int64_t turn;
        int block;                ///< the first that is weighed
        std::int64_t scoredTurn;  ///< −1 for none
        int scored;               ///< the first that is scored
    };

    template <int kDims, bool kScored, bool kPending, class Weights>
    __attribute__((always_inline)) void takeStep(Weights& weights, const Step& step) {
        AmxScratch& scratch = *m_scratch;
        const int together = kDims > 0 ? blocksTogether(kDims / 32) : m_blocksTogether;
        const int depth = kDims > 0 ? kDims / Scores::kDimsPerUnit / 16 : m_depth;
        const int pairs = kDims > 0 ? kDims / 32 : m_pairs;
        const int firstPair = kPending ? step.block * pairs / kTurnBlocks : 0;
        const int somePairs = !kPending   ? 0
                              : kDims > 0 ? together * pairs / kTurnBlocks
                                          : (step.block + together) * pairs / kTurnBlocks - firstPair;
        const int products = (kScored ? 4 * depth * together : 0) + somePairs * 4 * kTurnBlocks;
        const int rows = kAmxQueries * together;
        const int rowsAtATime = products > 0 ? (rows + products - 1) / products : rows;
        if (step.block == 0 || Scores::kScaled)
            for (int i = 0; i < together; ++i) {
                scratch.factors[i] = factorOf(blockAt(step.turn, step.block + i)) * Weights::kSteps;
                for (int q = 0; q < kAmxQueries; q += 16)
                    _mm512_store_ps(
                        scratch.shifts[i] + q,
                        Weights::shiftOf(_mm512_load_ps(m_state->shifts + q), scratch.factors[i]));
            }
        // Rows of blocks that are weighed together follow each other everywhere.
        const int mask = 2 * together - 1;
        const float* scores = scratch.scores[step.block & mask];
        std::uint32_t* packed = scratch.weights[m_parity][step.block];
        float(*after)[16] = m_state->sums[m_sums ^ 1];
        const float(*before)[16] = step.block == 0 ? m_state->sums[m_sums] : after;
        int row = 0;
        const auto weigh = [&]() __attribute__((always_inline)) {
            const int block = row / kAmxQueries, query = row % kAmxQueries;
            __m512 sums = _mm512_load_ps(block == 0 ? before[query] : after[query]);
            _mm512_store_si512(packed + row * 16,
                               weights.weigh(scores + row * kAmxKeys, scratch.factors[block],
                                             scratch.shifts[block][query], sums));
            _mm512_store_ps(after[query], sums);
            ++row;
        };
        const auto weave = [&]() __attribute__((always_inline)) {
            for (int i = 0; i < rowsAtATime && row < rows; ++i) weigh();
        };
        TileProducts tiles = m_products;
        memoryBarrier();
        if constexpr (kScored)
            for (int i = 0; i < together; ++i)
                scoreBlock<kDims>(tiles, keysOf(step.scoredTurn, step.scored + i),
                                  scratch.scores[(step.block + together + i) & mask], weave);
        for (int i = 0; i < somePairs; ++i) addValues<kTurnBlocks>(tiles, firstPair + i, weave);
        while (row < rows) weigh();
        if (somePairs == 0) tiles.finish();
        m_products = tiles;
    }

    /// Any turn: all of its scores, their maxima, then its weights.
    void takeTurn(std::int64_t turn) {
        AmxScratch& scratch = *m_scratch;
        const int blocks = blocksOf(turn);
        Data data[kTurnBlocks];
        float factors[kTurnBlocks];
        for (int b = 0; b < blocks; ++b) {
            const std::int64_t block = blockAt(turn, b);
            const bool hidden = block * kAmxKeys + kAmxKeys - 1 > m_state->limits[0];
            data[b] = hidden || m_args.scoreBias != nullptr ? Data::Amended : Data::Raw;
            factors[b] = factorOf(block);
        }
        for (int q = 0; q < kAmxQueries; ++q) _mm512_store_ps(scratch.raised[q], _mm512_set1_ps(-HUGE_VALF));
        for (int b = 0; b <= blocks; ++b) {
            int row = b == 0 ? kAmxQueries : 0;
            const auto raise = [&]() __attribute__((always_inline)) {
                float* scores = scratch.scores[b - 1] + row * 32;
                const __m512 factor = _mm512_set1_ps(factors[b - 1]);
                const __m512 most = _mm512_load_ps(scratch.raised[row]);
                _mm512_store_ps(scratch.raised[row],
                                data[b - 1] == Data::Raw
                                    ? Scores::raised(scores, factor, most)
                                    : amendRow(scores, blockAt(turn, b - 1) * kAmxKeys, row, factor, most));
                ++row;
            };
            memoryBarrier();
            if (b < blocks)
                scoreBlock(
                    m_products, keysOf(turn, b), scratch.scores[b], [&]() __attribute__((always_inline)) {
                        for (int i = 0; i < 2 && row < kAmxQueries; ++i) raise();
                    });
            else
                m_products.finish();
            while (row < kAmxQueries) raise();
        }
        const bool rescaled = raiseBases();
        const float* shifts = m_state->shifts;
        std::uint32_t(*weights)[2 * kTileUnits] = scratch.weights[m_parity];
        memoryBarrier();
        int b = 0;
        int row = 0;
        const auto weigh = [&]() __attribute__((always_inline)) {
            const float* scores = scratch.scores[b] + row * 32;
            const __m512 shift = _mm512_set1_ps(shifts[row] - static_cast<float>(Values::kOffset));
            __m512 first;
            __m512 second;
            if (data[b] == Data::Raw && !Values::kFreeBase) {
                const __m512 factor = _mm512_set1_ps(factors[b]);
                first = _mm512_fmsub_ps(Scores::load(scores), factor, shift);
                second = _mm512_fmsub_ps(Scores::load(scores + 16), factor, shift);
            } else if (data[b] == Data::Raw) {
                // Product and difference apart: the largest weighs exactly 1.
                const __m512 factor = _mm512_set1_ps(factors[b]);
                first = _mm512_sub_ps(_mm512_mul_ps(Scores::load(scores), factor), shift);
                second = _mm512_sub_ps(_mm512_mul_ps(Scores::load(scores + 16), factor), shift);
            } else {
                first = _mm512_sub_ps(_mm512_load_ps(scores), shift);
                second = _mm512_sub_ps(_mm512_load_ps(scores + 16), shift);
            }
            first = Values::weight(first);
            second = Values::weight(second);
            const __m512 sum = _mm512_add_ps(first, second);
            float* sums = scratch.turnSums[row];
            _mm512_store_ps(sums, b == 0 ? sum : _mm512_add_ps(sum, _mm512_load_ps(sums)));
            _mm512_store_si512(weights[b] + row * 16, Values::pack(first, second));
            if (++row == kAmxQueries) {
                row = 0;
                ++b;
            }
        };
        if (m_pendingBlocks > 0) {
            const int products = 4 * m_pairs * m_pendingBlocks;
            const int rowsAtATime = (blocks * kAmxQueries + products - 1) / products;
            const auto weave = [&]() __attribute__((always_inline)) {
                for (int i = 0; i < rowsAtATime && b < blocks; ++i) weigh();
            };
            for (int pair = 0; pair < m_pairs; ++pair) addValues(m_products, pair, weave);
            valuesAreIn();
        }
        while (b < blocks) weigh();
        m_products.finish();
        if (rescaled && m_anyValues) rescaleOutputs();
        for (int q = 0; q < kAmxQueries; ++q)
            _mm512_store_ps(
                m_state->sums[m_sums][q],
                _mm512_fmadd_ps(_mm512_load_ps(m_state->sums[m_sums][q]),
                                _mm512_set1_ps(m_state->rescales[q]), _mm512_load_ps(scratch.turnSums[q])));
        weightsWait(turn, blocks);
    }

    /// Makes products scores: scaled, with the bias, and −inf where the query doesn't see the key. The larger
    /// ones of them and of `most`.
    __m512 amendRow(float* scores, std::int64_t key, int row, __m512 factor, __m512 most) const {
        const __m512i limit = _mm512_set1_epi32(m_state->limits[row]);
        const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        for (int i = 0; i < kAmxKeys; i += 16) {
            __m512 score = _mm512_mul_ps(Scores::load(scores + i), factor);
            if (m_args.scoreBias != nullptr) {
                const __m512 unit = _mm512_set1_ps(Scores::kScaled ? 1.0F : m_factor);
                score = _mm512_fmadd_ps(_mm512_loadu_ps(m_args.scoreBias + key + i), unit, score);
            }
            const __mmask16 seen = _mm512_cmple_epi32_mask(
                _mm512_add_epi32(lanes, _mm512_set1_epi32(static_cast<int>(key) + i)), limit);
            score = _mm512_mask_mov_ps(_mm512_set1_ps(-HUGE_VALF), seen, score);
            _mm512_store_ps(scores + i, score);
            most = _mm512_max_ps(score, most);
        }
        return most;
    }

    /// Bases follow the turn's maxima. Whether one of them changed that had been there.
    bool raiseBases() {
        AmxState& state = *m_state;
        alignas(64) float most[kAmxQueries];
        for (int q = 0; q < kAmxQueries; ++q)
            most[q] = _mm512_reduce_max_ps(_mm512_load_ps(m_scratch->raised[q]));
        __mmask16 rescaled = 0;
        __mmask16 unseen = 0;
        for (int q = 0; q < kAmxQueries; q += 16) {
            const __m512 before = _mm512_load_ps(state.bases + q);
            const __m512 base = _mm512_max_ps(_mm512_load_ps(most + q), before);
            const __m512 shift = Avx512::zeroWhereMinusInfinity(base);
            _mm512_store_ps(state.bases + q, base);
            _mm512_store_ps(state.shifts + q, shift);
            // Exactly 1 where the base stays.
            _mm512_store_ps(state.rescales + q, Avx512::exp2<6>(_mm512_sub_ps(before, shift)));
            rescaled |= _mm512_cmp_ps_mask(before, base, _CMP_NEQ_UQ);
            unseen |= _mm512_cmp_ps_mask(base, _mm512_set1_ps(-HUGE_VALF), _CMP_EQ_OQ);
        }
        m_allSeen = unseen == 0;
        return rescaled != 0;
    }

    void rescaleOutputs() const {
        for (int q = 0; q < kAmxQueries; ++q) {
            if (m_state->rescales[q] == 1) continue;
            const __m512 rescale = _mm512_set1_ps(m_state->rescales[q]);
            for (int d = 0; d < m_args.paddedDim; d += 16)
                _mm512_store_ps(outputs(q, d), _mm512_mul_ps(_mm512_load_ps(outputs(q, d)), rescale));
        }
    }

    TileArgs m_args;
    AmxScratch* m_scratch = nullptr;
    AmxState* m_state = nullptr;
    int m_steps = 0;           // units of a query
    int m_depth = 0;           // tiles of a query
    int m_pairs = 0;           // pairs of tiles of an output
    int m_blocksTogether = 1;  // that a plain turn scores at a time
    TileProducts m_products;
    std::int64_t m_blockKeyUnits = 0;
    std::int64_t m_blockValueUnits = 0;
    float m_factor = 1;
    float m_queryScale = 1;
    std::int64_t m_end = 0;
    std::int64_t m_seenByAll = 0;  // keys of the walk, from the first on
    bool m_allSeen = false;        // whether every query has a base
    bool m_anyValues = false;      // whether O holds something
    int m_parity = 0;              // which weights are written next
    int m_sums = 0;                // which sums are those of the turns so far
    std::int64_t m_pendingTurn = 0;
    int m_pendingBlocks = 0;  // whose weights wait to be multiplied with V
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
