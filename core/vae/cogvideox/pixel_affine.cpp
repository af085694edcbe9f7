#include "core/vae/cogvideox/pixel_affine.h"

#include <ATen/Parallel.h>

#include "core/vae/norm_kernels.h"

namespace reelgrid::vae::cogvideox {

namespace {

/// One frame by libtorch: x viewed as [h, H/h, w, W/w, C], over which the cells are spread.
void activate(const at::Tensor& out_HWC, const at::Tensor& x_HWC, const at::Tensor& scale_hwC,
              const at::Tensor& shift_hwC) {
    const std::int64_t rows = scale_hwC.size(0), columns = scale_hwC.size(1), channels = x_HWC.size(2);
    const std::vector<std::int64_t> cut{rows, x_HWC.size(0) / rows, columns, x_HWC.size(1) / columns,
                                        channels};
    const auto spread = [](const at::Tensor& cells_hwC) { return cells_hwC.unsqueeze(1).unsqueeze(3); };
    at::Tensor y = at::addcmul(spread(shift_hwC), x_HWC.view(cut).to(at::kFloat), spread(scale_hwC));
    out_HWC.view(cut).copy_(at::silu_(y));
}

}  // namespace

std::int64_t PixelAffine::cellsOver(std::int64_t frame, std::int64_t frames) const {
    const std::int64_t cells = m_scale_thwC.size(0);
    if (cells == 1) return 0;
    if (frames % 2 == 0) return frame * cells / frames;
    return frame == 0 ? 0 : 1 + (frame - 1) * (cells - 1) / (frames - 1);
}

void PixelAffine::forwardSiluInto(const at::Tensor& out_THWC, const at::Tensor& x_THWC,
                                  std::int64_t first) const {
    const std::int64_t frames = x_THWC.size(0), count = out_THWC.size(0);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t cells = cellsOver(first + i, frames);
        const at::Tensor out_HWC = out_THWC[i], x_HWC = x_THWC[first + i];
        const at::Tensor scale_hwC = m_scale_thwC[cells], shift_hwC = m_shift_thwC[cells];
        if (NormKernels::takes(x_HWC))
            NormKernels::activate(out_HWC, x_HWC, scale_hwC, shift_hwC);
        else
            activate(out_HWC, x_HWC, scale_hwC, shift_hwC);
    }
}

at::Tensor PixelAffine::forwardSilu(const at::Tensor& x_THWC) const {
    at::Tensor out_THWC = at::empty(x_THWC.sizes(), x_THWC.options());
    forwardSiluInto(out_THWC, x_THWC, 0);
    return out_THWC;
}

}  // namespace reelgrid::vae::cogvideox
