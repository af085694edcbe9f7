#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/dispatcher.h"
#include "core/protocol/call_map.h"

namespace reelgrid::pipeline {

/// Notes for every layer and step which backend was asked for and which one ran, on the way to another
/// dispatcher.
class CallMapDispatcher final : public attention::Dispatcher {
  public:
    CallMapDispatcher(std::unique_ptr<attention::Dispatcher> inner, int layers, int steps)
        : m_inner(std::move(inner)), m_layers(layers), m_steps(steps) {}

    at::Tensor attend(const attention::Inputs& inputs, const attention::CallSite& site) override;
    void beginPass(int step, attention::GuidanceBranch branch) override;
    void endPasses() override { m_inner->endPasses(); }
    [[nodiscard]] std::vector<attention::CallRecord> records() const override { return m_inner->records(); }

    [[nodiscard]] attention::Replay replayOfPass() const override { return m_inner->replayOfPass(); }
    [[nodiscard]] std::string choicesOfPass(int layers) const override {
        return m_inner->choicesOfPass(layers);
    }
    std::vector<attention::CallRecord> takeBackSince(
        const std::vector<attention::CallRecord>& earlier) override {
        return m_inner->takeBackSince(earlier);
    }
    void countAgain(const std::vector<attention::CallRecord>& calls) override;

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
    void note(const attention::CallSite& site, const protocol::BackendChoice& choice);

    std::unique_ptr<attention::Dispatcher> m_inner;
    int m_layers, m_steps;
    attention::Pass m_pass;
    std::vector<protocol::BackendChoice> m_choices;
    std::map<Place, std::vector<int>> m_sites;
    /// The first pass of each kind, for passes that are replayed for it (choicesOfPass()).
    std::map<std::string, attention::Pass> m_called;
};

}  // namespace reelgrid::pipeline
