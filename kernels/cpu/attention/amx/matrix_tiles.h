#pragma once

// The configuration of Intel's matrix tiles (AMX). `static`: included by sources with different flags, whose
// copies the linker must not merge.

#include <cstdint>

namespace reelgrid::kernels::cpu {

/// Makes all eight tiles 16 rows of 64 bytes, zeroed. Written out: the compiler's intrinsic says that the
/// instruction reads 8 bytes of the configuration.
static inline void loadFullTiles() {
    struct alignas(64) Config {
        std::uint8_t palette = 1;
        std::uint8_t startRow = 0;
        std::uint8_t reserved[14] = {};
        std::uint16_t rowBytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
        std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
    } config;
    static_assert(sizeof config == 64);
    asm volatile("ldtilecfg %0" ::"m"(config));
}

static inline void releaseTiles() {
    asm volatile("tilerelease" ::);
}

}  // namespace reelgrid::kernels::cpu
