#include "core/pipeline/call_map_observer.h"

#include <algorithm>

namespace reelgrid::pipeline {

using attention::CallSite;
using attention::GuidanceBranch;
using attention::Pass;

void CallMapObserver::note(const CallSite& site, const Pass& pass, const protocol::BackendChoice& choice) {
    if (site.layer < 0 || site.layer >= m_layers || pass.step < 0 || pass.step >= m_steps) return;
    auto found = std::ranges::find(m_choices, choice);
    if (found == m_choices.end()) found = m_choices.insert(found, choice);
    std::vector<int>& sites = m_sites[{site.kind, pass.branch}];
    sites.resize(firstSiteOf(m_steps), -1);
    sites[firstSiteOf(pass.step) + std::size_t(site.layer)] = int(found - m_choices.begin());
}

protocol::CallMaps CallMapObserver::maps() const {
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

protocol::CallMaps CallMapObserver::mapsOfBranches() const {
    protocol::CallMaps maps{m_choices, {}};
    for (const auto& [place, sites] : m_sites)
        maps.maps.push_back({place.first, place.second, m_layers, m_steps, sites});
    return maps;
}

void CallMapObserver::goOnFrom(const protocol::CallMaps& earlier) {
    m_choices = earlier.choices;
    for (const protocol::CallMap& map : earlier.maps)
        if (map.layers == m_layers && map.steps == m_steps && map.branch)
            m_sites[{map.kind, *map.branch}] = map.sites;
}

}  // namespace reelgrid::pipeline
