#pragma once

// Shape legend: B batch, H heads, N tokens, D head dim.

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

namespace reelgrid::capture {

/// A channel of one head, and how far it stands out.
struct OutlierChannel {
    std::int64_t head = 0, channel = 0;
    double absMax = 0;
    double timesMedian = 0;  ///< of the maxima of its head's channels
};

/// What decides how a tensor of attention can be quantised. Everything but the counts is of the finite
/// values, over the whole batch.
struct TensorStatistics {
    std::int64_t elements = 0, nans = 0, infinities = 0;
    double mean = 0, deviation = 0, low = 0, high = 0;
    std::vector<std::int64_t> histogram;        ///< bins of one width from low to high
    std::vector<std::vector<double>> channels;  ///< of each head the largest magnitude in each channel
    std::vector<OutlierChannel> outliers;       ///< of all heads, the farthest first

    [[nodiscard]] double absMax() const;
};

/// Of x [B,H,N,D] on the CPU, whatever its dtype; a head at a time, so that no copy of a whole capture is
/// made.
TensorStatistics statisticsOf(const at::Tensor& x_BHND);

}  // namespace reelgrid::capture
