#pragma once

// Shape legend: T frames, H rows, W columns, C channels; t, h, w the same of a coarser grid.

#include <ATen/ATen.h>

#include <cstdint>

namespace reelgrid::vae::cogvideox {

/// silu(x · scale + shift), with a scale and a shift a channel for each cell of a grid that lies over the
/// frames: what a group norm is once its moments are known, conditioned on latents or not. A cell is H/h ×
/// W/w pixels of T/t frames; where T is odd and above 1, the first frame has the first cells to itself.
class PixelAffine {
  public:
    /// fp32 [t, h, w, C], contiguous.
    PixelAffine(at::Tensor scale_thwC, at::Tensor shift_thwC)
        : m_scale_thwC(std::move(scale_thwC)), m_shift_thwC(std::move(shift_thwC)) {}

    /// Activates frames [first, first + out's) of x_THWC into `out_THWC`: contiguous, of x's dtype;
    /// may be those frames themselves.
    void forwardSiluInto(const at::Tensor& out_THWC, const at::Tensor& x_THWC, std::int64_t first) const;
    /// All of them, in memory of their own.
    [[nodiscard]] at::Tensor forwardSilu(const at::Tensor& x_THWC) const;

  private:
    /// The cells over a frame, of `frames`.
    [[nodiscard]] std::int64_t cellsOver(std::int64_t frame, std::int64_t frames) const;

    at::Tensor m_scale_thwC, m_shift_thwC;
};

}  // namespace reelgrid::vae::cogvideox
