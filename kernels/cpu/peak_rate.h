#pragma once

namespace reelgrid::kernels::cpu {

enum class PeakOf { Fp32, Bf16, Int8 };

/// Operations a second (a multiply-add is two) that `threads` threads reach with nothing but dependent-free
/// multiply-add instructions of the selected instruction set: the ceiling that a kernel's rate is a share of.
/// 0 when there is no such instruction (bf16 and int8 below AVX-512). Takes about 50 ms.
double measurePeakRate(PeakOf what, int threads);

}  // namespace reelgrid::kernels::cpu
