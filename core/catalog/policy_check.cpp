#include "core/catalog/policy_check.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"
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

}  // namespace reelgrid::catalog
