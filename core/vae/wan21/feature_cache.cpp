#include "core/vae/wan21/feature_cache.h"

#include <algorithm>

namespace reelgrid::vae::wan21 {

void remember(at::Tensor& slot, const at::Tensor& x_THWC) {
    const std::int64_t frames = x_THWC.size(0);
    if (frames >= kHistoryFrames) {
        const at::Tensor last = x_THWC.narrow(0, frames - kHistoryFrames, kHistoryFrames);
        // The buffer is reused: fresh pages would cost more than the copy.
        if (slot.defined() && slot.sizes() == last.sizes()) {
            slot.copy_(last);
        } else {
            slot = last.clone(at::MemoryFormat::Contiguous);
        }
        return;
    }
    if (!slot.defined() || slot.size(0) == 0) {
        slot = x_THWC.clone(at::MemoryFormat::Contiguous);
        return;
    }
    slot = at::cat({slot.narrow(0, slot.size(0) - 1, 1), x_THWC}, 0);
}

at::Tensor withHistory(const at::Tensor& slot, const at::Tensor& x_THWC) {
    const std::int64_t known = slot.defined() ? slot.size(0) : 0;
    std::vector<at::Tensor> parts;
    if (known < kHistoryFrames) {
        auto shape = x_THWC.sizes().vec();
        shape[0] = kHistoryFrames - known;
        parts.push_back(at::zeros(shape, x_THWC.options()));
    }
    if (known > 0) parts.push_back(slot);
    parts.push_back(x_THWC);
    return at::cat(parts, 0);
}

}  // namespace reelgrid::vae::wan21
