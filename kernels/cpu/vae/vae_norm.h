#pragma once

#include <cstdint>

namespace reelgrid::kernels {

// What a group norm of the video autoencoder does with pixels, in fp32, their channels together and multiples
// of 8. `lanes` is vaeConvLanes(), which isn't 0.

/// Sums of x − origin and of its squares over pixels, a channel each: the distance from one pixel of the clip
/// keeps the squares small where values lie far from zero.
struct VaeChannelSums {
    int lanes = 0;
    int channels = 0;  ///< C
    std::int64_t pixels = 0;
    const float* in = nullptr;      ///< [pixels, C]
    const float* origin = nullptr;  ///< [C]
    double* sums = nullptr;         ///< [C], added to
    double* squares = nullptr;      ///< [C], added to
};
void addVaeChannelSums(const VaeChannelSums& call);

/// out = silu(in · scale + shift) of a frame; scale and shift have a value a channel for each cell of pixels.
struct VaeAffine {
    int lanes = 0;
    int channels = 0;  ///< C
    int columns = 0;
    int rowsOfCell = 0, columnsOfCell = 0;  ///< pixels
    const float* in = nullptr;              ///< [rows, columns, C]
    const float* scale = nullptr;           ///< [rows / rowsOfCell, columns / columnsOfCell, C]
    const float* shift = nullptr;
    float* out = nullptr;  ///< [rows, columns, C]; may be `in`
};
void runVaeAffineSilu(const VaeAffine& call, int firstRow, int lastRow);

}  // namespace reelgrid::kernels
