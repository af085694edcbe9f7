#include "core/models/wan/text_padding.h"

#include <cmath>

namespace reelgrid::models::wan {

CollapsedText collapsePadding(const at::Tensor& text_BMT) {
    const std::int64_t positions = text_BMT.size(1);
    const at::Tensor used = (text_BMT != 0).any(2).any(0).nonzero();
    const std::int64_t prompt = used.numel() == 0 ? 0 : used[-1].item<std::int64_t>() + 1;
    const std::int64_t padding = positions - prompt;
    if (padding < 2) return {text_BMT, {}};
    at::Tensor keyBias_M = at::zeros({prompt + 1}, text_BMT.options().dtype(at::kFloat));
    keyBias_M[prompt] = std::log(static_cast<double>(padding));
    return {text_BMT.narrow(1, 0, prompt + 1), keyBias_M};
}

}  // namespace reelgrid::models::wan
