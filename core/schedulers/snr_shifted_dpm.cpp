#include "core/schedulers/snr_shifted_dpm.h"

#include <cmath>
#include <string>

#include "core/base/result.h"

namespace reelgrid::schedulers {
namespace {

constexpr const char* kPicture = "picture";

/// Half the log of the signal-to-noise ratio: ±∞ at both ends, which the steps' factors bear.
double lambdaOf(double alpha) {
    return std::log(std::sqrt(alpha / (1 - alpha)));
}

}  // namespace

std::unique_ptr<Scheduler> SnrShiftedDpm::make(const SchedulerSource& source) {
    return std::make_unique<SnrShiftedDpm>(SnrShiftedSchedule::from(source.config), source.noise);
}

void SnrShiftedDpm::setTimesteps(std::int64_t steps) {
    m_steps = m_schedule.timesteps(steps);
    m_timesteps.assign(m_steps.begin(), m_steps.end());
    m_sigmas = noiseShares(m_schedule, m_steps);
    m_lastPicture = at::Tensor();
}

at::Tensor SnrShiftedDpm::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    if (!m_noise) throw Failure(ErrorCode::Internal, "the dpm sampler has no source of noise");
    const auto index = static_cast<std::size_t>(i);
    const std::int64_t timestep = m_steps.at(index);
    const std::int64_t to = m_schedule.previous(timestep, static_cast<std::int64_t>(m_steps.size()));
    const double alpha = m_schedule.alphaCumprod(timestep), next = m_schedule.alphaCumprod(to);
    const double h = lambdaOf(next) - lambdaOf(alpha);

    execution::FusedValues values;
    const auto x = values.of(sample.to(at::kFloat));
    const auto picture = pictureOfVelocity(alpha, x, values.of(modelOutput.to(at::kFloat)));
    at::Tensor noise = m_noise();
    auto mixed = picture;
    if (m_lastPicture.defined() && to >= 0) {
        const double back = lambdaOf(m_schedule.alphaCumprod(m_steps[index - 1]));
        const double half = 1 / (2 * ((lambdaOf(alpha) - back) / h));
        mixed = picture * (1 + half) - values.of(m_lastPicture) * half;
        noise = m_noise();  // the reference draws once more and leaves the first piece
    }
    const double carry = std::sqrt((1 - next) / (1 - alpha)) * std::exp(-h);
    const double pull = std::expm1(-2 * h) * std::sqrt(next);
    const double spread = std::sqrt(1 - next) * std::sqrt(1 - std::exp(-2 * h));
    const std::vector<at::Tensor> made =
        values.made({x * carry - mixed * pull + values.of(noise.to(sample.device())) * spread, picture});
    m_lastPicture = made[1];
    return made[0];
}

std::optional<SchedulerState> SnrShiftedDpm::state() const {
    SchedulerState state;
    if (m_lastPicture.defined()) state[kPicture] = m_lastPicture;
    return state;
}

void SnrShiftedDpm::restore(std::int64_t next, const SchedulerState& state) {
    m_lastPicture = at::Tensor();
    if (next == 0) return;
    const auto picture = state.find(kPicture);
    if (picture == state.end())
        throw Failure(ErrorCode::InvalidData, std::string("the dpm sampler's state has no ") + kPicture +
                                                  ", which step " + std::to_string(next) + " needs");
    m_lastPicture = picture->second;
}

}  // namespace reelgrid::schedulers
