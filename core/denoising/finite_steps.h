#pragma once

#include <ATen/ATen.h>

#include <utility>
#include <vector>

namespace reelgrid::denoising {

/// Finds the step of a denoising loop after which the latents are not finite. On the CPU it says so at once;
/// a GPU is asked in passing and waited for in require() alone.
class FiniteSteps {
  public:
    /// The latents after `done` of `total` steps. Throws as require() does.
    void look(int done, int total, const at::Tensor& latents);
    /// Throws Failure(InvalidData) naming the first step that left a NaN or an infinite value; begins anew.
    void require();

  private:
    int m_total = 0;
    std::vector<std::pair<int, at::Tensor>> m_asked;  ///< one boolean each, on the device
};

}  // namespace reelgrid::denoising
