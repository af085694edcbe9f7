#include "core/schedulers/scheduler.h"

#include "core/base/result.h"
#include "core/protocol/scheduler_names.h"
#include "core/schedulers/flow_match_euler.h"
#include "core/schedulers/unipc_multistep.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

using protocol::SchedulerKind;
using protocol::SchedulerName;

/// What a class calls the shift that another sampler takes over.
const char* shiftKeyOf(SchedulerKind kind) {
    return kind == SchedulerKind::UniPC ? "flow_shift" : "shift";
}

const SchedulerName& storedIn(const weights::ModelConfig& config) {
    const std::string className = config.text("_class_name");
    if (const SchedulerName* stored = protocol::schedulerOfClass(className)) return *stored;
    std::string classes;
    for (const SchedulerName& name : protocol::kSchedulerNames)
        classes += (classes.empty() ? "" : " or ") + std::string(name.className) + " (" + name.option + ")";
    config.unsupported("_class_name", classes);
}

const SchedulerName& requestedIn(const std::string& option) {
    if (const SchedulerName* requested = protocol::schedulerOfOption(option)) return *requested;
    throw Failure(ErrorCode::BadUsage,
                  "scheduler is '" + option + "', " + protocol::schedulerOptions() + " is needed");
}

}  // namespace

std::unique_ptr<Scheduler> makeScheduler(const weights::ModelConfig& config,
                                         const SchedulerOverrides& overrides) {
    const SchedulerName& stored = storedIn(config);
    const SchedulerName& wanted = overrides.name ? requestedIn(*overrides.name) : stored;
    const FlowSigmas sigmas = FlowSigmas::from(config, shiftKeyOf(stored.kind), overrides.flowShift);
    // Between the two samplers the spacings mean different levels, so only Euler's own are taken.
    if (sigmas.spacing != SigmaSpacing::Shifted &&
        (stored.kind == SchedulerKind::UniPC || wanted.kind == SchedulerKind::UniPC))
        config.unsupported(keyOf(sigmas.spacing), "false for unipc");
    const bool isStored = wanted.kind == stored.kind;
    switch (wanted.kind) {
        case SchedulerKind::UniPC:
            return std::make_unique<UniPCMultistep>(sigmas,
                                                    isStored ? UniPCOptions::from(config) : UniPCOptions{});
        case SchedulerKind::FlowMatchEuler:
            if (isStored) FlowMatchEuler::requireSupported(config);
            return std::make_unique<FlowMatchEuler>(sigmas);
    }
    throw Failure(ErrorCode::Internal, std::string("no sampler for ") + wanted.option);
}

}  // namespace reelgrid::schedulers
