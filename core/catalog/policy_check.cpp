#include "core/catalog/policy_check.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/catalog/denoising_steps.h"
#include "core/catalog/render_settings.h"
#include "core/protocol/backend_option.h"
#include "core/protocol/idle_rules.h"

namespace reelgrid::catalog {

Result<void> checkPolicy(const protocol::AttentionPolicy& policy, const families::ModelInfo& model, int steps,
                         const machine::Machine& machine) {
    for (std::size_t i = 0; i < policy.rules.size(); ++i) {
        const std::string& backend = policy.rules[i].backend;
        if (backend == protocol::kDefaultBackend || machine.findBackend(backend) != nullptr) continue;
        return Error{ErrorCode::BadUsage, "rule " + std::to_string(i + 1) + ": backend " + showJson(backend) +
                                              ": one of " + machine.backendNames() + ", " +
                                              protocol::kDefaultBackend + " was needed"};
    }
    if (auto found = protocol::resolved(policy, model.layers, steps); !found) return found.error();
    return {};
}

Result<void> checkBackendOptions(const std::vector<std::string>& texts, const families::ModelInfo& model,
                                 const machine::Machine& machine) {
    for (const std::string& text : texts) {
        const auto choice = protocol::BackendOptionChoice::from(text);
        if (!choice) return choice.error();
        if (const auto why = machine.whyNot(*choice, model.layers))
            return Error{ErrorCode::BadUsage, "--backend-option " + text + ": " + *why};
    }
    return {};
}

Result<void> checkLockstep(const RenderSettings& settings, const machine::Machine& machine) {
    if (settings.lockstep.empty()) return {};
    const auto wrong = [](const std::string& what) {
        return Error{ErrorCode::BadUsage, "--lockstep" + what + " was needed"};
    };
    for (auto name = settings.lockstep.begin(); name != settings.lockstep.end(); ++name) {
        if (machine.findBackend(*name) == nullptr)
            return wrong(" " + *name + ": one of " + machine.backendNames());
        if (*name == protocol::kReferenceBackend)
            return wrong(" " + *name + ": it is what the others are measured against; another one");
        if (std::find(settings.lockstep.begin(), name, *name) != name)
            return wrong(" names " + *name + " twice: each backend once");
    }
    if (const std::string own = attentionName(settings); own != protocol::kReferenceBackend)
        return wrong(": a clip with " + protocol::kReferenceBackend + " throughout, not " + own + ",");
    if (settings.useTorchCompile)
        return wrong(": --use-torch-compile records whole passes as CUDA graphs; a render without it");
    return {};
}

std::vector<std::string> idleRules(const RenderSettings& settings, const families::ModelInfo& model) {
    return protocol::idleReasons(settings.attentionPolicy, {model.layers, denoisingSteps(settings, model),
                                                            settings.guidanceScale, model.attentionKinds});
}

}  // namespace reelgrid::catalog
