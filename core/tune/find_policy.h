#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/metrics/lockstep_map.h"
#include "core/tune/tuning.h"

namespace reelgrid::tune {

/// Exact but for rounding on every device: its distance from the reference is the noise floor.
inline constexpr const char* kFloorBackend = "fav2";

/// What a tuning is to find, and from what.
struct TuningGoal {
    Budget budget;
    std::string prompt;
    int layers = 0, steps = 0;
    std::vector<std::string> backends;  ///< that the policy may use
    int mostPolicies = 4;               ///< mixed policies that are rendered at most
};

/// A render that a tuning asks for: the same request but for its attention.
struct RenderOrder {
    std::string name;                   ///< "sdpa", "fav2", "policy 2"
    std::string backend;                ///< of the calls that no rule of the policy decides
    protocol::AttentionPolicy policy;   ///< empty: `backend` throughout
    std::vector<std::string> lockstep;  ///< backends to measure on this render's latents
};

/// What came of it.
struct RenderOutcome {
    TuningRender render;  ///< with what was measured against the reference's clip, which is the first
    std::optional<metrics::LockstepMap> map{};
    std::string substitution{};   ///< why another backend served some of its calls; empty: none did
    bool timesAttention = false;  ///< whether `seconds` are those of self-attention
};

/// Who renders and measures, and who is told in a line what is left out.
struct TuningHost {
    std::function<Result<RenderOutcome>(const RenderOrder&)> render;
    std::function<void(const std::string&)> note;
};

/// How many renders a tuning asks for at most.
int mostRenders(const TuningGoal& goal);

/// Renders the reference with the maps of the others, each backend throughout, and then the policies that are
/// predicted to be the fastest within the budget, learning from each, until nothing faster is predicted or
/// the renders are used up. A backend that fails or can't run is left out with a note. Errors: those of the
/// reference's render, of a policy's, and Cancelled.
Result<Tuning> findPolicy(const TuningGoal& goal, const TuningHost& host);

}  // namespace reelgrid::tune
