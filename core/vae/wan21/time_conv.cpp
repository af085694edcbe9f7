#include "core/vae/wan21/time_conv.h"

namespace reelgrid::vae::wan21 {

TimeConv::TimeConv(const LayerSource& source, std::int64_t in, std::int64_t out) {
    const at::Tensor weight_OCT = source.weights("weight", {out, in, 3, 1, 1}).reshape({out, in, 3});
    for (std::int64_t tap = 0; tap < 3; ++tap) {
        m_taps_CO.push_back(weight_OCT.select(2, tap).t().contiguous());
    }
    m_bias_O = source.weights("bias", {out});
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
