#include "core/schedulers/scheduler.h"

#include <algorithm>
#include <utility>

#include "core/base/result.h"
#include "core/schedulers/scheduler_list.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

const SchedulerRow& storedIn(const weights::ModelConfig& config) {
    const std::string className = config.text("_class_name");
    const auto rows = schedulerList();
    const auto stored = std::ranges::find(rows, className, &SchedulerRow::className);
    if (stored != rows.end()) return *stored;
    std::string classes;
    for (const SchedulerRow& row : rows)
        classes.append(classes.empty() ? "" : " or ")
            .append(row.className)
            .append(" (")
            .append(row.option)
            .append(")");
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

}  // namespace

at::Tensor Scheduler::noised(const at::Tensor&, const at::Tensor&, std::int64_t) const {
    throw Failure(ErrorCode::Unsupported, "this sampler can't begin with a picture");
}

std::unique_ptr<Scheduler> makeScheduler(const weights::ModelConfig& config,
                                         const SchedulerOverrides& overrides, NoiseSource noise) {
    const SchedulerRow& stored = storedIn(config);
    const SchedulerRow& wanted = overrides.name ? requested(*overrides.name, stored) : stored;
    return wanted.make({.config = config,
                        .stored = stored,
                        .isStored = &wanted == &stored,
                        .flowShift = overrides.flowShift,
                        .sigmaMax = overrides.sigmaMax,
                        .noise = std::move(noise)});
}

}  // namespace reelgrid::schedulers
