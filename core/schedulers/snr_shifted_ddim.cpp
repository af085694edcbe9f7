#include "core/schedulers/snr_shifted_ddim.h"

#include <cmath>

namespace reelgrid::schedulers {

std::unique_ptr<Scheduler> SnrShiftedDdim::make(const SchedulerSource& source) {
    return std::make_unique<SnrShiftedDdim>(SnrShiftedSchedule::from(source.config));
}

void SnrShiftedDdim::setTimesteps(std::int64_t steps) {
    m_steps = m_schedule.timesteps(steps);
    m_timesteps.assign(m_steps.begin(), m_steps.end());
    m_sigmas = noiseShares(m_schedule, m_steps);
}

at::Tensor SnrShiftedDdim::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    const std::int64_t timestep = m_steps.at(static_cast<std::size_t>(i));
    const double alpha = m_schedule.alphaCumprod(timestep);
    const double next =
        m_schedule.alphaCumprod(m_schedule.previous(timestep, static_cast<std::int64_t>(m_steps.size())));
    execution::FusedValues values;
    const auto x = values.of(sample.to(at::kFloat));
    const auto picture = pictureOfVelocity(alpha, x, values.of(modelOutput.to(at::kFloat)));
    const double carry = std::sqrt((1 - next) / (1 - alpha));
    return values.made(x * carry + picture * (std::sqrt(next) - std::sqrt(alpha) * carry));
}

}  // namespace reelgrid::schedulers
