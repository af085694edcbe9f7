#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "core/attention/dispatcher.h"

namespace reelgrid::models::wan {

/// libtorch's own attention, and a record of which layers asked. Every call among a clip's tokens has to say
/// how they lie in the clip.
class SdpaDispatcher final : public attention::Dispatcher {
  public:
    SdpaDispatcher() : Dispatcher(attention::Policy("sdpa")) { observe(m_askers); }

    std::vector<attention::CallSite> sites;

  private:
    class Askers final : public attention::CallObserver {
      public:
        explicit Askers(std::vector<attention::CallSite>& asked) : m_asked(asked) {}
        void served(const attention::Call& call, const attention::Served&) override {
            m_asked.push_back(call.site);
            if (call.site.kind == attention::ModuleKind::Cross) return;
            EXPECT_EQ(call.inputs.grid.tokens(), call.inputs.q_BHND.size(2))
                << nameOf(call.site.kind) << ", layer " << call.site.layer;
        }
        void replayed(const attention::Pass&, const attention::RecordedCall&) override {}

      private:
        std::vector<attention::CallSite>& m_asked;
    };
    Askers m_askers{sites};
};

}  // namespace reelgrid::models::wan
