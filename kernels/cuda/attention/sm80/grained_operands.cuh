#pragma once

// int8 operands of fav3_sage and sagev2 for sagev1's products, tiles of 64 keys.

#include "kernels/cuda/attention/quantise/int8_scores.cuh"
#include "kernels/cuda/attention/sm80/byte_scales.cuh"

namespace reelgrid::kernels::cuda::device {

struct GrainedOperands : Int8Operands {
    QuantisedOperands x;
    ScaleEntries entries;

    static GrainedOperands of(const QuantisedOperands& x, const ScaleEntries& entries) {
        const auto tensor = [&](const std::uint8_t* bytes, int rows) {
            return Int8Tensor{reinterpret_cast<const std::int8_t*>(bytes), std::int64_t{rows} * x.headDim,
                              nullptr, 0};
        };
        return {{tensor(x.q, x.queryRows), tensor(x.k, x.keyRows), x.lseShifts}, x, entries};
    }
};

/// The scales of tiles of kSageKeys keys for the queries of one warp: a tile's keys never mix scales but
/// those of classes.
class GrainedScales {
  public:
    __device__ explicit GrainedScales(const ByteScales& scales) : m_scales(scales) {}
    __device__ float of(int tile) const { return m_scales.of(tile * (kSageKeys / kScaleGrain)); }

  private:
    ByteScales m_scales;
};

__device__ inline GrainedScales tileScales(const GrainedOperands& operands, int head, int headsPerKeyHead,
                                           int firstRow, int lane) {
    return GrainedScales(
        ByteScales(operands.entries, operands.x, head, head / headsPerKeyHead, firstRow, lane));
}

}  // namespace reelgrid::kernels::cuda::device
