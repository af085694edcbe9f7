#include "core/schedulers/scheduler_list.h"

#include <array>

#include "core/schedulers/flow_match_euler.h"
#include "core/schedulers/snr_shifted_ddim.h"
#include "core/schedulers/snr_shifted_dpm.h"
#include "core/schedulers/unipc_multistep.h"

namespace reelgrid::schedulers {

std::span<const SchedulerRow> schedulerList() {
    using enum Prediction;
    static constexpr std::array kRows{
        SchedulerRow{"unipc", "UniPCMultistepScheduler", Flow, UniPCMultistep::make, "flow_shift"},
        SchedulerRow{"euler", "FlowMatchEulerDiscreteScheduler", Flow, FlowMatchEuler::make, "shift"},
        SchedulerRow{"ddim", "CogVideoXDDIMScheduler", SnrShiftedVelocity, SnrShiftedDdim::make},
        SchedulerRow{"dpm", "CogVideoXDPMScheduler", SnrShiftedVelocity, SnrShiftedDpm::make},
    };
    return kRows;
}

}  // namespace reelgrid::schedulers
