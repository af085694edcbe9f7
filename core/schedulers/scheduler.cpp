#include "core/schedulers/scheduler.h"

#include <utility>

#include "core/base/result.h"
#include "core/protocol/scheduler_names.h"
#include "core/schedulers/ddim.h"
#include "core/schedulers/dpm.h"
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

/// Whether it walks between pictures and noise by their shares, not by flow matching.
bool isOfNoiseSchedule(SchedulerKind kind) {
    return kind == SchedulerKind::CogVideoXDdim || kind == SchedulerKind::CogVideoXDpm;
}

FlowSigmas sigmasFor(const weights::ModelConfig& config, SchedulerKind stored, SchedulerKind wanted,
                     const std::optional<double>& shift) {
    FlowSigmas sigmas = FlowSigmas::from(config, shiftKeyOf(stored), shift);
    // Between the two samplers the spacings mean different levels, so only Euler's own are taken.
    if (sigmas.spacing != SigmaSpacing::Shifted &&
        (stored == SchedulerKind::UniPC || wanted == SchedulerKind::UniPC))
        config.unsupported(keyOf(sigmas.spacing), "false for unipc");
    return sigmas;
}

}  // namespace

std::unique_ptr<Scheduler> makeScheduler(const weights::ModelConfig& config,
                                         const SchedulerOverrides& overrides, NoiseSource noise) {
    const SchedulerName& stored = storedIn(config);
    const SchedulerName& wanted = overrides.name ? requestedIn(*overrides.name) : stored;
    const bool isStored = wanted.kind == stored.kind;
    if (isOfNoiseSchedule(stored.kind) != isOfNoiseSchedule(wanted.kind))
        throw Failure(ErrorCode::Unsupported, std::string("scheduler ") + wanted.option +
                                                  ": the model's is " + stored.className +
                                                  ", whose predictions it can't use");
    const auto sigmas = [&] { return sigmasFor(config, stored.kind, wanted.kind, overrides.flowShift); };
    switch (wanted.kind) {
        case SchedulerKind::UniPC:
            return std::make_unique<UniPCMultistep>(sigmas(),
                                                    isStored ? UniPCOptions::from(config) : UniPCOptions{});
        case SchedulerKind::FlowMatchEuler:
            if (isStored) FlowMatchEuler::requireSupported(config);
            return std::make_unique<FlowMatchEuler>(sigmas());
        case SchedulerKind::CogVideoXDdim:
            return std::make_unique<Ddim>(CogVideoXSchedule::from(config));
        case SchedulerKind::CogVideoXDpm:
            return std::make_unique<Dpm>(CogVideoXSchedule::from(config), std::move(noise));
    }
    throw Failure(ErrorCode::Internal, std::string("no sampler for ") + wanted.option);
}

}  // namespace reelgrid::schedulers
