#pragma once

// Products of 2 × 2 tiles, block after block, at the rate of the tile unit (docs/log/cpu-kernels.md). The
// upper two results of a block are finished four products before its lower two, and both are stored later
// still, between products of the block after it: a store waits for the last product of its tile, and more
// than two stores that wait stop everything behind them. Included by attention_amx.cpp only.

#include "kernels/cpu/attention/amx/amx_rows.h"
#include "kernels/cpu/attention/amx/tile_instructions.h"

namespace reelgrid::kernels::cpu {
namespace {

/// Where a block's four tiles of results lie; distances in floats.
struct ResultPlace {
    float* at;
    std::int64_t right;
    std::int64_t below;
    std::int64_t rowBytes;
};

/// Tiles 0 to 3 hold results (0 and 1 beside each other, 2 and 3 below), 4 to 7 operands.
class TileProducts {
  public:
    /// place = start + Σ a(t) · b(t) over `steps`, or over kSteps where that is not 0: the compiler then
    /// knows how many. a(t): two tiles `aNext` units apart, the lower one second; b(t): two tiles `bNext`
    /// apart. `start`: upper() and lower() set tiles 0 and 1, 2 and 3. `weave` runs after every product. The
    /// lower results are in memory once another block was multiplied, or finish() ran.
    template <class Product, int kSteps = 0, class Start, class A, class B, class Weave>
    __attribute__((always_inline)) void multiply(int steps, const Start& start, const A& a,
                                                 std::int64_t aNext, const B& b, std::int64_t bNext,
                                                 const ResultPlace& place, const Weave& weave) {
        const auto twoSteps = [&](int t) __attribute__((always_inline)) {
            loadTile<4>(b(t), 64);
            loadTile<6>(a(t), 64);
            Product::template add<0, 6, 4>();
            weave();
            loadPassingTile<5>(b(t) + bNext, 64);
            Product::template add<1, 6, 5>();
            weave();
            loadTile<6>(a(t + 1), 64);
            loadPassingTile<7>(b(t + 1), 64);
            Product::template add<0, 6, 7>();
            weave();
            loadPassingTile<4>(b(t + 1) + bNext, 64);
            Product::template add<1, 6, 4>();
            weave();
            if (t == 0) {
                finish();
                start.lower();
            }
            loadTile<6>(a(t + 1) + aNext, 64);
            Product::template add<2, 6, 7>();
            weave();
            Product::template add<3, 6, 4>();
            weave();
            loadTile<6>(a(t) + aNext, 64);
            Product::template add<3, 6, 5>();
            weave();
            loadTile<4>(b(t), 64);
            Product::template add<2, 6, 4>();
            weave();
        };
        const auto lastStep = [&](int t) __attribute__((always_inline)) {
            loadPassingTile<4>(b(t), 64);
            loadTile<6>(a(t), 64);
            Product::template add<0, 6, 4>();
            weave();
            loadPassingTile<5>(b(t) + bNext, 64);
            Product::template add<1, 6, 5>();
            weave();
            if (t == 0) {
                finish();
                start.lower();
            }
            loadTile<7>(a(t) + aNext, 64);
            Product::template add<2, 7, 4>();
            weave();
            Product::template add<3, 7, 5>();
            weave();
        };
        start.upper();
        const int count = kSteps > 0 ? kSteps : steps;
        int t = 0;
        for (; t + 1 < count; t += 2) twoSteps(t);
        if (t < count) lastStep(t);
        storeTile<0>(place.at, place.rowBytes);
        storeTile<1>(place.at + place.right, place.rowBytes);
        m_waiting = place;
    }

    /// Stores what waits in tiles 2 and 3.
    void finish() {
        if (m_waiting.at == nullptr) return;
        float* lower = m_waiting.at + m_waiting.below;
        storeTile<2>(lower, m_waiting.rowBytes);
        storeTile<3>(lower + m_waiting.right, m_waiting.rowBytes);
        m_waiting.at = nullptr;
    }

  private:
    ResultPlace m_waiting{};
};

/// Results that start from 0.
struct FromZero {
    static void upper() {
        zeroTile<0>();
        zeroTile<1>();
    }
    static void lower() {
        zeroTile<2>();
        zeroTile<3>();
    }
};

/// Results that are added to what lies in `place`, or start from 0 where nothing does.
struct FromPlace {
    const ResultPlace& place;
    bool filled;
    void upper() const {
        if (!filled) return FromZero::upper();
        loadTile<0>(place.at, place.rowBytes);
        loadTile<1>(place.at + place.right, place.rowBytes);
    }
    void lower() const {
        if (!filled) return FromZero::lower();
        loadTile<2>(place.at + place.below, place.rowBytes);
        loadTile<3>(place.at + place.below + place.right, place.rowBytes);
    }
};

struct UnitsOfATile {
    alignas(64) std::uint32_t units[kTileUnits];
};
constexpr UnitsOfATile filledWith(std::uint32_t unit) {
    UnitsOfATile tile{};
    for (auto& each : tile.units) each = unit;
    return tile;
}
constexpr UnitsOfATile kFloatBits = filledWith(0x4B400000);

/// Integer results that start from the bits of 1.5 · 2^23: taken as floats they are that number plus the sum,
/// exactly, as long as the sum is below 2^22.
struct FromFloatBits {
    static void upper() {
        loadTile<0>(kFloatBits.units, 64);
        loadTile<1>(kFloatBits.units, 64);
    }
    static void lower() {
        loadTile<2>(kFloatBits.units, 64);
        loadTile<3>(kFloatBits.units, 64);
    }
};

}  // namespace
}  // namespace reelgrid::kernels::cpu
