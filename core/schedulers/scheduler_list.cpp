#include "core/schedulers/scheduler_list.h"

#include <array>

#include "core/schedulers/dpm_multistep.h"
#include "core/schedulers/euler.h"
#include "core/schedulers/flow_match_euler.h"
#include "core/schedulers/lcm.h"
#include "core/schedulers/pndm.h"
#include "core/schedulers/rcm.h"
#include "core/schedulers/snr_shifted_ddim.h"
#include "core/schedulers/snr_shifted_dpm.h"
#include "core/schedulers/unipc_multistep.h"
#include "core/schedulers/vp_ddim.h"

namespace reelgrid::schedulers {
namespace {

/// One whose configuration says everything, another sampler's, too.
template <class Sampler>
std::unique_ptr<Scheduler> made(const SchedulerSource& source) {
    return std::make_unique<Sampler>(source.config);
}

/// The same of one that draws noise.
template <class Sampler>
std::unique_ptr<Scheduler> madeDrawing(const SchedulerSource& source) {
    return std::make_unique<Sampler>(source.config, source.noise);
}

}  // namespace

std::span<const SchedulerRow> schedulerList() {
    using enum Prediction;
    static constexpr std::array kRows{
        SchedulerRow{"unipc", "UniPCMultistepScheduler", Flow, UniPCMultistep::make, "flow_shift"},
        SchedulerRow{"euler", "FlowMatchEulerDiscreteScheduler", Flow, FlowMatchEuler::make, "shift"},
        SchedulerRow{"rcm", "RCMScheduler", Flow, Rcm::makeSde, "flow_shift", NoiseStart::SigmaMax},
        SchedulerRow{"rcm-ode", "RCMOdeScheduler", Flow, Rcm::makeOde, "flow_shift", NoiseStart::SigmaMax},
        SchedulerRow{"ddim", "CogVideoXDDIMScheduler", SnrShiftedVelocity, SnrShiftedDdim::make},
        SchedulerRow{"dpm", "CogVideoXDPMScheduler", SnrShiftedVelocity, SnrShiftedDpm::make},
        SchedulerRow{"ddim", "DDIMScheduler", VariancePreserving, made<VpDdim>},
        SchedulerRow{"pndm", "PNDMScheduler", VariancePreserving, made<Pndm>},
        SchedulerRow{"euler", "EulerDiscreteScheduler", VariancePreserving, made<EulerDiscrete>},
        SchedulerRow{"euler-ancestral", "EulerAncestralDiscreteScheduler", VariancePreserving,
                     madeDrawing<EulerAncestral>},
        SchedulerRow{"dpm++", "DPMSolverMultistepScheduler", VariancePreserving, madeDrawing<DpmMultistep>},
        SchedulerRow{.option = "lcm",
                     .className = "LCMScheduler",
                     .prediction = VariancePreserving,
                     .make = madeDrawing<Lcm>,
                     .usualNoise = Lcm::kUsualNoise},
    };
    return kRows;
}

}  // namespace reelgrid::schedulers
