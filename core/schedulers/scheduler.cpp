#include "core/schedulers/scheduler.h"

#include <cmath>

#include "core/base/result.h"
#include "core/schedulers/flow_match_euler.h"
#include "core/schedulers/unipc_multistep.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

constexpr const char* kUniPC = "UniPCMultistepScheduler";
constexpr const char* kEuler = "FlowMatchEulerDiscreteScheduler";

void requireOff(const weights::ModelConfig& config, const char* key) {
    if (config.flagOr(key, false)) config.unsupported(key, "false");
}

double shiftOf(const weights::ModelConfig& config, const char* key, const SchedulerOverrides& overrides) {
    const double shift = overrides.flowShift.value_or(config.numberOr(key, 1.0));
    if (std::isfinite(shift) && shift > 0) return shift;
    if (!overrides.flowShift) config.invalid(key, "a number above 0");
    throw Failure(ErrorCode::BadUsage,
                  "flow_shift is " + std::to_string(shift) + ", a number above 0 is needed");
}

FlowSigmas flowSigmasOf(const weights::ModelConfig& config, const char* shiftKey,
                        const SchedulerOverrides& overrides) {
    for (const char* key :
         {"use_dynamic_shifting", "use_karras_sigmas", "use_exponential_sigmas", "use_beta_sigmas"})
        requireOff(config, key);
    FlowSigmas sigmas;
    sigmas.trainTimesteps = config.positiveOr("num_train_timesteps", 1000);
    sigmas.shift = shiftOf(config, shiftKey, overrides);
    sigmas.shiftTerminal = config.numberOr("shift_terminal", 0.0);
    if (!(sigmas.shiftTerminal >= 0 && sigmas.shiftTerminal < 1))
        config.unsupported("shift_terminal", "a number from 0 to below 1");
    return sigmas;
}

UniPCOptions uniPCOptionsOf(const weights::ModelConfig& config) {
    if (config.textOr("prediction_type", "epsilon") != "flow_prediction")
        config.unsupported("prediction_type", "flow_prediction");
    if (!config.flagOr("use_flow_sigmas", false)) config.unsupported("use_flow_sigmas", "true");
    if (!config.flagOr("predict_x0", true)) config.unsupported("predict_x0", "true");
    if (config.has("solver_p")) config.unsupported("solver_p", "null");
    requireOff(config, "thresholding");

    UniPCOptions options;
    options.solverOrder = config.positiveOr("solver_order", 2);
    if (options.solverOrder > 3) config.unsupported("solver_order", "1, 2 or 3");
    const std::string type = config.textOr("solver_type", "bh2");
    if (type == "bh1")
        options.type = UniPCType::Bh1;
    else if (type != "bh2" && type != "midpoint" && type != "heun" && type != "logrho")  // those mean bh2
        config.unsupported("solver_type", "bh1 or bh2");
    const std::string last = config.textOr("final_sigmas_type", "zero");
    if (last != "zero" && last != "sigma_min") config.unsupported("final_sigmas_type", "zero or sigma_min");
    options.finalSigma = last == "zero" ? FinalSigma::Zero : FinalSigma::Smallest;
    // A last step of higher order divides by an infinite or empty step of log-SNR.
    if (!config.flagOr("lower_order_final", true) && options.solverOrder > 1)
        config.unsupported("lower_order_final", "true");
    if (config.has("disable_corrector")) options.disableCorrector = config.integers("disable_corrector");
    return options;
}

}  // namespace

std::unique_ptr<Scheduler> makeScheduler(const weights::ModelConfig& config,
                                         const SchedulerOverrides& overrides) {
    const std::string stored = config.text("_class_name");
    if (stored != kUniPC && stored != kEuler)
        config.unsupported("_class_name", std::string(kUniPC) + " or " + kEuler);
    if (overrides.name && *overrides.name != "unipc" && *overrides.name != "euler")
        throw Failure(ErrorCode::BadUsage,
                      "scheduler is '" + *overrides.name + "', unipc or euler is needed");
    const std::string wanted = !overrides.name ? stored : *overrides.name == "unipc" ? kUniPC : kEuler;

    const FlowSigmas sigmas = flowSigmasOf(config, stored == kUniPC ? "flow_shift" : "shift", overrides);
    if (wanted == kUniPC)
        return std::make_unique<UniPCMultistep>(sigmas,
                                                stored == kUniPC ? uniPCOptionsOf(config) : UniPCOptions{});
    requireOff(config, "stochastic_sampling");
    requireOff(config, "invert_sigmas");
    return std::make_unique<FlowMatchEuler>(sigmas);
}

}  // namespace reelgrid::schedulers
