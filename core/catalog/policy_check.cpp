#include "core/catalog/policy_check.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/catalog/render_settings.h"
#include "core/protocol/idle_rules.h"
#include "kernels/attention/backend_list.h"

namespace reelgrid::catalog {

Result<void> checkPolicy(const protocol::AttentionPolicy& policy, const families::ModelInfo& model,
                         int steps) {
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
        const std::string& backend = policy.rules[i].backend;
        if (backend == protocol::kDefaultBackend || kernels::findBackend(backend) != nullptr) continue;
        return Error{ErrorCode::BadUsage, "rule " + std::to_string(i + 1) + ": backend " + showJson(backend) +
                                              ": one of " + kernels::backendNames() + ", " +
                                              protocol::kDefaultBackend + " was needed"};
    }
    if (auto found = protocol::resolved(policy, model.layers, steps); !found) return found.error();
    return {};
}

std::vector<std::string> idleRules(const RenderSettings& settings, const families::ModelInfo& model) {
    return protocol::idleReasons(settings.attentionPolicy, {model.layers, settings.numInferenceSteps,
                                                            settings.guidanceScale, model.attentionKinds});
}

}  // namespace reelgrid::catalog
