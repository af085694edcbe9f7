#pragma once

// The one-dimensional transforms of F(4, 3) at the points 0, 1, −1, ½, −2 and infinity, in the order of the
// six products. Applied to the columns, then to the rows of a tile.

#include "kernels/cpu/vae/vae_conv_vector.h"

namespace reelgrid::kernels {
namespace {

/// Six input values → the six factors (Bᵀ d).
template <class Float>
[[gnu::always_inline]] inline void transformInput(const Float (&d)[6], Float (&v)[6]) {
    const Float a = d[4] - d[2];
    const Float b = d[3] - d[1];
    v[0] = (d[0] - d[2]) + (a + 1.5f * b);
    v[1] = (a + b) + 1.5f * (d[2] + d[3]);
    v[2] = (a - b) + 1.5f * (d[3] - d[2]);
    v[3] = a + 2.0f * b;
    v[4] = a - 0.5f * b;
    v[5] = (d[5] - d[3]) + (1.5f * a - b);
}

/// Six products → four output values (Aᵀ m).
template <class Float>
[[gnu::always_inline]] inline void transformOutput(const Float (&m)[6], Float (&y)[4]) {
    const Float p = m[1] + m[2];
    const Float q = m[1] - m[2];
    y[0] = (m[0] + p) + (m[3] + m[4]);
    y[1] = q + 0.5f * m[3] - 2.0f * m[4];
    y[2] = p + 0.25f * m[3] + 4.0f * m[4];
    y[3] = (q + m[5]) + 0.125f * m[3] - 8.0f * m[4];
}

}  // namespace
}  // namespace reelgrid::kernels
