#pragma once

#include "core/attention/dispatcher.h"

namespace reelgrid::models::wan {

/// libtorch's own attention, and a record of which layers asked.
class SdpaDispatcher final : public attention::Dispatcher {
  public:
    at::Tensor attend(const at::Tensor& q_BHND, const at::Tensor& k_BHMD, const at::Tensor& v_BHMD,
                      const attention::CallSite& site) override {
        sites.push_back(site);
        return at::scaled_dot_product_attention(q_BHND, k_BHMD, v_BHMD);
    }
    void beginPass(int, attention::GuidanceBranch) override {}
    [[nodiscard]] std::vector<attention::CallRecord> records() const override { return {}; }

    std::vector<attention::CallSite> sites;
};

}  // namespace reelgrid::models::wan
