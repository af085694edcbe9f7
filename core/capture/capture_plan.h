#pragma once

#include <compare>
#include <cstddef>
#include <vector>

#include "core/protocol/attention_call.h"

namespace reelgrid::capture {

/// Where attention is called in a render, ordered as it is called.
struct CallPlace {
    int step = 0;
    protocol::GuidanceBranch branch = protocol::GuidanceBranch::Conditional;
    int layer = 0;
    protocol::ModuleKind kind = protocol::ModuleKind::Self;

    auto operator<=>(const CallPlace&) const = default;
};

/// Every place that captures may come from; each list ascending.
struct CaptureExtent {
    std::vector<int> steps;
    std::vector<protocol::GuidanceBranch> branches;
    std::vector<int> layers;
    std::vector<protocol::ModuleKind> kinds;

    [[nodiscard]] bool contains(const CallPlace& place) const;
    [[nodiscard]] std::size_t places() const;
};

/// At most `most` places, ascending, spread over the whole extent: passes evenly from the first to the last,
/// and layers so that neighbouring captures come from distant ones.
std::vector<CallPlace> spreadOver(const CaptureExtent& extent, std::size_t most);

/// Which of the calls that come are taken: those planned, and for each that didn't come when its turn was
/// (a model may make both branches in one pass) the next one that may be.
class CapturePlan {
  public:
    /// At most `most` calls, spread, a place's second call only where there are fewer places; 0: every call
    /// of the extent.
    CapturePlan(CaptureExtent extent, std::size_t most);

    /// Whether the call that comes now is taken.
    bool takes(const CallPlace& place);
    /// Whether a pass may have a call to take.
    [[nodiscard]] bool mayTakeFrom(int step, protocol::GuidanceBranch branch) const;

    /// How many calls it expects to take.
    [[nodiscard]] std::size_t planned() const { return m_places.size(); }
    [[nodiscard]] const CaptureExtent& extent() const { return m_extent; }

  private:
    CaptureExtent m_extent;
    bool m_takesAll;
    std::vector<CallPlace> m_places;
    std::size_t m_next = 0;
    std::size_t m_owed = 0;  ///< calls more than the places that are left
};

}  // namespace reelgrid::capture
