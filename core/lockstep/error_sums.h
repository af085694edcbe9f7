#pragma once

#include <ATen/ATen.h>

#include <cstdint>

namespace reelgrid::lockstep {

struct OutputError {
    double cosine = 0, relativeL1 = 0, rmse = 0;
};

/// What the errors of one output from another follow from, summed in double over everything that was added:
/// outputs that are added one after another count as one long one.
class ErrorSums {
  public:
    /// Two tensors of one shape. On a GPU the sums are queued, nothing waits.
    void add(const at::Tensor& reference, const at::Tensor& other);

    [[nodiscard]] bool empty() const { return m_count == 0; }
    /// Of all that was added; waits for the device.
    [[nodiscard]] OutputError error() const;

  private:
    at::Tensor m_sums;
    std::int64_t m_count = 0;
};

}  // namespace reelgrid::lockstep
