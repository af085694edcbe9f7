#include "core/models/layers/change_recorder.h"

#include <utility>

namespace reelgrid::models {

void ChangeRecorder::keep(at::Tensor embedding, at::Tensor added_BNC) {
    if (hasKept()) {
        constexpr double kNoDivisionBy0 = 1e-8;
        const auto norms = [](const at::Tensor& x_BNC) { return x_BNC.norm(2, -1).to(at::kDouble); };
        const at::Tensor ratios = norms(added_BNC) / (norms(added()) + kNoDivisionBy0);
        m_told({m_step, relativeChange(embedding, seen()), relativeChange(added_BNC, added()),
                ratios.mean().item<double>()});
    }
    AddedCache::keep(std::move(embedding), std::move(added_BNC));
}

}  // namespace reelgrid::models
