#pragma once

// Included by the sources of the instruction sets only (see attention_tile.h).

#include <cstdint>

namespace reelgrid::kernels::cpu {

/// acc[Rows][Cols] += broadcast(a[step][row]) · b[step][lanes of col].
template <class Isa, class Dot, int Cols>
inline void multiplyHere(const std::uint32_t* a, const std::uint32_t* b, int steps,
                         typename Dot::Sum (&acc)[Isa::kRows][Cols]) {
    typename Dot::Sum sums[Isa::kRows][Cols];
#pragma GCC unroll 8
    for (int r = 0; r < Isa::kRows; ++r)
#pragma GCC unroll 8
        for (int c = 0; c < Cols; ++c) sums[r][c] = acc[r][c];
    for (int step = 0; step < steps; ++step) {
        typename Isa::Int lanes[Cols];
#pragma GCC unroll 8
        for (int c = 0; c < Cols; ++c) lanes[c] = Isa::load(b + c * Isa::kLanes);
#pragma GCC unroll 8
        for (int r = 0; r < Isa::kRows; ++r) {
            const typename Isa::Int one = Isa::broadcast(a + r);
#pragma GCC unroll 8
            for (int c = 0; c < Cols; ++c) sums[r][c] = Dot::add(sums[r][c], lanes[c], one);
        }
        a += Isa::kRows;
        b += Cols * Isa::kLanes;
    }
#pragma GCC unroll 8
    for (int r = 0; r < Isa::kRows; ++r)
#pragma GCC unroll 8
        for (int c = 0; c < Cols; ++c) acc[r][c] = sums[r][c];
}

template <class Isa, class Dot, int Cols>
[[gnu::noinline]] void multiplyApart(const std::uint32_t* a, const std::uint32_t* b, int steps,
                                     typename Dot::Sum (&acc)[Isa::kRows][Cols]) {
    multiplyHere<Isa, Dot, Cols>(a, b, steps, acc);
}

/// The inner loop of every product. Where its sums fill all registers it is a function of its own: inlined,
/// the compiler keeps something of its surroundings in a register and spills a sum in every step.
template <class Isa, class Dot, int Cols>
inline void multiply(const std::uint32_t* a, const std::uint32_t* b, int steps,
                     typename Dot::Sum (&acc)[Isa::kRows][Cols]) {
    if constexpr (Isa::kFewRegisters)
        multiplyApart<Isa, Dot, Cols>(a, b, steps, acc);
    else
        multiplyHere<Isa, Dot, Cols>(a, b, steps, acc);
}

}  // namespace reelgrid::kernels::cpu
