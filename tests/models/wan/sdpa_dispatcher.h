#pragma once

#include <optional>

#include "core/attention/dispatcher.h"

namespace reelgrid::models::wan {

/// libtorch's own attention, and a record of which layers asked.
class SdpaDispatcher final : public attention::Dispatcher {
  public:
    at::Tensor attend(const attention::Inputs& in, const attention::CallSite& site) override {
        sites.push_back(site);
        std::optional<at::Tensor> bias;
        if (in.keyBias_M.defined()) bias = in.keyBias_M.view({1, 1, 1, -1});
        return at::scaled_dot_product_attention(in.q_BHND, in.k_BHMD, in.v_BHMD, bias);
    }
    void beginPass(int, attention::GuidanceBranch) override {}
    [[nodiscard]] std::vector<attention::CallRecord> records() const override { return {}; }

    std::vector<attention::CallSite> sites;
};

}  // namespace reelgrid::models::wan
