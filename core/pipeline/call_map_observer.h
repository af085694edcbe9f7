#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/attention/call_observer.h"
#include "core/protocol/call_map.h"

namespace reelgrid::pipeline {

/// Notes for every layer and step which backend was asked for and which one ran.
class CallMapObserver final : public attention::CallObserver {
  public:
    CallMapObserver(int layers, int steps) : m_layers(layers), m_steps(steps) {}

    void served(const attention::Call& call, const attention::Served& served) override {
        note(call.site, call.pass, {call.requested, served.used, served.why});
    }
    void replayed(const attention::Pass& pass, const attention::RecordedCall& call) override {
        note(call.site, pass, call.choice);
    }

    /// Both branches of guidance as one where they had the same.
    [[nodiscard]] protocol::CallMaps maps() const;
    /// The same, each branch by itself.
    [[nodiscard]] protocol::CallMaps mapsOfBranches() const;
    /// Begins with what another process noted of the steps before: its mapsOfBranches(). Maps of other layers
    /// or steps are left out.
    void goOnFrom(const protocol::CallMaps& earlier);

  private:
    /// What a kind of attention has in one branch.
    using Place = std::pair<attention::ModuleKind, attention::GuidanceBranch>;
    [[nodiscard]] std::size_t firstSiteOf(int step) const {
        return std::size_t(step) * std::size_t(m_layers);
    }
    void note(const attention::CallSite& site, const attention::Pass& pass,
              const protocol::BackendChoice& choice);

    int m_layers, m_steps;
    std::vector<protocol::BackendChoice> m_choices;
    std::map<Place, std::vector<int>> m_sites;
};

}  // namespace reelgrid::pipeline
