#include "core/schedulers/scheduler.h"

#include <algorithm>
#include <utility>

#include "core/base/result.h"
#include "core/schedulers/scheduler_list.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

/// The row of the config's class, among those that may be taken.
template <class MayBeTaken>
const SchedulerRow& storedIn(const weights::ModelConfig& config, const MayBeTaken& mayBeTaken) {
    const std::string className = config.text("_class_name");
    std::string classes;
    for (const SchedulerRow& row : schedulerList()) {
        if (!mayBeTaken(row)) continue;
        if (row.className == className) return row;
        classes.append(classes.empty() ? "" : " or ")
            .append(row.className)
            .append(" (")
            .append(row.option)
            .append(")");
    }
    config.unsupported("_class_name", classes);
}

/// The sampler of that option which takes the predictions of the stored one's model.
const SchedulerRow& requested(const std::string& option, const SchedulerRow& stored) {
    std::string options;
    for (const SchedulerRow& row : schedulerList()) {
        if (row.prediction != stored.prediction) continue;
        if (row.option == option) return row;
        options.append(options.empty() ? "" : " or ").append(row.option);
    }
    throw Failure(ErrorCode::BadUsage, "scheduler " + option + ": " + options +
                                           " was needed, the model's is " + std::string(stored.className));
}

const SchedulerRow& storedIn(const weights::ModelConfig& config) {
    return storedIn(config, [](const SchedulerRow&) { return true; });
}

}  // namespace

const SchedulerRow& samplerRow(const weights::ModelConfig& config, const std::optional<std::string>& option) {
    const SchedulerRow& stored = storedIn(config);
    return option ? requested(*option, stored) : stored;
}

at::Tensor Scheduler::noised(const at::Tensor&, const at::Tensor&, std::int64_t) const {
    throw Failure(ErrorCode::Unsupported, "this sampler can't begin with a picture");
}

weights::ModelConfig samplerConfig(weights::ModelConfig config, Prediction prediction,
                                   std::span<const std::string_view> options) {
    static_cast<void>(storedIn(config, [&](const SchedulerRow& row) {
        return row.prediction == prediction &&
               (options.empty() || std::ranges::find(options, row.option) != options.end());
    }));
    return config;
}

std::unique_ptr<Scheduler> makeScheduler(const weights::ModelConfig& config,
                                         const SchedulerOverrides& overrides, NoiseSource noise) {
    const SchedulerRow& stored = storedIn(config);
    const SchedulerRow& wanted = samplerRow(config, overrides.name);
    if (overrides.sigmaMax && wanted.start != NoiseStart::SigmaMax)
        throw Failure(ErrorCode::BadUsage, "sigma_max is " + std::to_string(*overrides.sigmaMax) +
                                               ", which " + std::string(wanted.option) +
                                               " doesn't start from: rcm or rcm-ode was needed");
    return wanted.make({.config = config,
                        .stored = stored,
                        .isStored = &wanted == &stored,
                        .flowShift = overrides.flowShift,
                        .sigmaMax = overrides.sigmaMax,
                        .noise = std::move(noise)});
}

}  // namespace reelgrid::schedulers
