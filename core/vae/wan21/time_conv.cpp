#include "core/vae/wan21/time_conv.h"

namespace reelgrid::vae::wan21 {

TimeConv::TimeConv(const LayerSource& source, std::int64_t in, std::int64_t out) {
    const at::Tensor weight_OCT11 = source.weights("weight", {out, in, 3, 1, 1});
    m_bias_O = source.weights("bias", {out});
    if (source.engine == ConvEngine::Fastest && GpuConv::takes(weight_OCT11)) {
        m_gpu.emplace(weight_OCT11, m_bias_O);
        return;
    }
    const at::Tensor weight_OCT = weight_OCT11.reshape({out, in, 3});
    for (std::int64_t tap = 0; tap < 3; ++tap) {
        m_taps_CO.push_back(weight_OCT.select(2, tap).t().contiguous());
    }
}

at::Tensor TimeConv::forward(const at::Tensor& frames_THWC, std::int64_t stride) const {
    if (m_gpu) return m_gpu->forward(frames_THWC, {.timeStride = stride});
    auto shape = frames_THWC.sizes().vec();
    shape[0] = (shape[0] - 3) / stride + 1;
    shape[3] = m_bias_O.size(0);
    at::Tensor out_NHWO = at::empty(shape, frames_THWC.options());
    forwardInto(out_NHWO, frames_THWC, stride, 0);
    return out_NHWO;
}

void TimeConv::forwardInto(const at::Tensor& out_NHWO, const at::Tensor& frames_THWC, std::int64_t stride,
                           std::int64_t firstChannel) const {
    const std::int64_t channels = out_NHWO.size(3);
    const at::Tensor bias = m_bias_O.narrow(0, firstChannel, channels);
    for (std::int64_t n = 0; n < out_NHWO.size(0); ++n) {
        at::Tensor out_PO = out_NHWO.select(0, n).view({-1, channels});
        for (std::int64_t tap = 0; tap < 3; ++tap) {
            const at::Tensor in_PC =
                frames_THWC.select(0, stride * n + tap).reshape({-1, frames_THWC.size(3)});
            const at::Tensor weight = m_taps_CO[std::size_t(tap)].narrow(1, firstChannel, channels);
            at::addmm_out(out_PO, tap == 0 ? bias : out_PO, in_PC, weight);
        }
    }
}

}  // namespace reelgrid::vae::wan21
