#include "core/pipeline/call_map_dispatcher.h"

#include <algorithm>

namespace reelgrid::pipeline {

using attention::CallRecord;
using attention::CallSite;
using attention::GuidanceBranch;
using attention::Pass;

void CallMapDispatcher::beginPass(int step, GuidanceBranch branch) {
    m_pass = {step, branch};
    m_inner->beginPass(step, branch);
}

at::Tensor CallMapDispatcher::attend(const attention::Inputs& inputs, const CallSite& site) {
    const std::vector<CallRecord> before = m_inner->records();
    at::Tensor out_BHND = m_inner->attend(inputs, site);
    const std::vector<CallRecord> after = m_inner->records();
    // The record that counts one call more is this call's.
    for (std::size_t i = 0; i < after.size(); ++i)
        if (i >= before.size() || after[i].calls > before[i].calls)
            note(site, {after[i].requested, after[i].used, after[i].why});
    return out_BHND;
}

void CallMapDispatcher::note(const CallSite& site, const protocol::BackendChoice& choice) {
    if (site.layer < 0 || site.layer >= m_layers || m_pass.step < 0 || m_pass.step >= m_steps) return;
    auto found = std::ranges::find(m_choices, choice);
    if (found == m_choices.end()) found = m_choices.insert(found, choice);
    std::vector<int>& sites = m_sites[{site.kind, m_pass.branch}];
    sites.resize(firstSiteOf(m_steps), -1);
    sites[firstSiteOf(m_pass.step) + std::size_t(site.layer)] = int(found - m_choices.begin());
    m_called.try_emplace(m_inner->choicesOfPass(m_layers), m_pass);
}

void CallMapDispatcher::countAgain(const std::vector<CallRecord>& calls) {
    m_inner->countAgain(calls);
    const auto called = m_called.find(m_inner->choicesOfPass(m_layers));
    if (called == m_called.end() || m_pass.step >= m_steps) return;
    std::vector<std::pair<Place, std::vector<int>>> rows;
    for (const auto& [place, sites] : m_sites)
        if (place.second == called->second.branch) {
            const auto first = sites.begin() + std::ptrdiff_t(firstSiteOf(called->second.step));
            rows.emplace_back(Place(place.first, m_pass.branch), std::vector<int>(first, first + m_layers));
        }
    for (const auto& [place, row] : rows) {
        std::vector<int>& sites = m_sites[place];
        sites.resize(firstSiteOf(m_steps), -1);
        std::ranges::copy(row, sites.begin() + std::ptrdiff_t(firstSiteOf(m_pass.step)));
    }
}

protocol::CallMaps CallMapDispatcher::maps() const {
    protocol::CallMaps maps{m_choices, {}};
    for (const auto& [place, sites] : m_sites) {
        const auto other = m_sites.find({place.first, place.second == GuidanceBranch::Conditional
                                                          ? GuidanceBranch::Unconditional
                                                          : GuidanceBranch::Conditional});
        const bool alone = other == m_sites.end() || other->second == sites;
        if (alone && other != m_sites.end() && place.second == GuidanceBranch::Unconditional) continue;
        protocol::CallMap& map = maps.maps.emplace_back();
        map.kind = place.first;
        if (!alone) map.branch = place.second;
        map.layers = m_layers;
        map.steps = m_steps;
        map.sites = sites;
    }
    return maps;
}

protocol::CallMaps CallMapDispatcher::mapsOfBranches() const {
    protocol::CallMaps maps{m_choices, {}};
    for (const auto& [place, sites] : m_sites)
        maps.maps.push_back({place.first, place.second, m_layers, m_steps, sites});
    return maps;
}

void CallMapDispatcher::goOnFrom(const protocol::CallMaps& earlier) {
    m_choices = earlier.choices;
    for (const protocol::CallMap& map : earlier.maps)
        if (map.layers == m_layers && map.steps == m_steps && map.branch)
            m_sites[{map.kind, *map.branch}] = map.sites;
}

}  // namespace reelgrid::pipeline
