#include "core/capture/capture_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reelgrid::capture {
namespace {

template <class T>
bool isAmong(const std::vector<T>& values, T value) {
    return std::ranges::find(values, value) != values.end();
}

/// How many of `most` captures each of `passes` passes gets.
std::vector<std::size_t> sharesOf(std::size_t passes, std::size_t most) {
    std::vector<std::size_t> shares(passes, 0);
    if (most == 1) {
        shares[passes / 2] = 1;
    } else if (most <= passes) {
        for (std::size_t i = 0; i < most; ++i) ++shares[(i * (passes - 1) + (most - 1) / 2) / (most - 1)];
    } else {
        for (std::size_t pass = 0; pass < passes; ++pass)
            shares[pass] = (pass + 1) * most / passes - pass * most / passes;
    }
    return shares;
}

}  // namespace

bool CaptureExtent::contains(const CallPlace& place) const {
    return isAmong(kinds, place.kind) && isAmong(layers, place.layer) && isAmong(steps, place.step);
}

std::size_t CaptureExtent::places() const {
    return steps.size() * branches.size() * layers.size() * kinds.size();
}

std::vector<CallPlace> spreadOver(const CaptureExtent& extent, std::size_t most) {
    const std::size_t branches = extent.branches.size(), kinds = extent.kinds.size();
    const std::size_t slots = extent.layers.size() * kinds;  // of a pass
    most = std::min(most, extent.places());
    std::vector<CallPlace> places;
    if (most == 0) return places;
    // Multiples of the golden ratio fall far from one another however many there are; multiples of a whole
    // number would meet the same layers again and again.
    constexpr double kGolden = 0.6180339887498949;
    const std::vector<std::size_t> shares = sharesOf(extent.steps.size() * branches, most);
    std::size_t visited = 0;
    for (std::size_t pass = 0; pass < shares.size(); ++pass) {
        if (shares[pass] == 0) continue;
        const double whole = double(visited++) * kGolden;
        const auto first = std::size_t((whole - std::floor(whole)) * double(slots));
        for (std::size_t i = 0; i < shares[pass]; ++i) {
            const std::size_t slot = (first + i * slots / shares[pass]) % slots;
            places.push_back({extent.steps[pass / branches], extent.branches[pass % branches],
                              extent.layers[slot / kinds], extent.kinds[slot % kinds]});
        }
    }
    std::ranges::sort(places);
    return places;
}

CapturePlan::CapturePlan(CaptureExtent extent, std::size_t most)
    : m_extent(std::move(extent)),
      m_takesAll(most == 0),
      m_places(spreadOver(m_extent, m_takesAll ? m_extent.places() : most)),
      m_owed(most > m_places.size() ? most - m_places.size() : 0) {}

bool CapturePlan::takes(const CallPlace& place) {
    if (m_takesAll) return m_extent.contains(place);
    while (m_next < m_places.size() && m_places[m_next] < place) {
        ++m_next;
        ++m_owed;
    }
    if (m_next < m_places.size() && m_places[m_next] == place) {
        ++m_next;
        return true;
    }
    if (m_owed == 0 || !m_extent.contains(place)) return false;
    --m_owed;
    return true;
}

bool CapturePlan::mayTakeFrom(int step, protocol::GuidanceBranch branch) const {
    if (!isAmong(m_extent.steps, step)) return false;
    if (m_takesAll) return true;
    const auto isBehind = [&](const CallPlace& place) {
        return std::pair(place.step, place.branch) > std::pair(step, branch);
    };
    return m_owed > 0 || (m_next < m_places.size() && !isBehind(m_places[m_next]));
}

}  // namespace reelgrid::capture
