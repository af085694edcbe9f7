#include "core/schedulers/rcm.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/execution/fused_values.h"
#include "core/schedulers/flow_sigmas.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

/// Angles between the first, which σmax says, and the last, 0.
constexpr std::array kAngles{1.5, 1.4, 1.0};
constexpr std::int64_t kMostSteps = std::int64_t{kAngles.size()} + 1;
constexpr double kUsualSigmaMax = 80;
constexpr double kTrainTimesteps = 1000;

double timeOf(double angle) {
    return std::sin(angle) / (std::cos(angle) + std::sin(angle));
}

double sigmaMaxOf(const SchedulerSource& source) {
    const double sigma = source.sigmaMax.value_or(source.config.numberOr("sigma_max", kUsualSigmaMax));
    if (std::isfinite(sigma) && sigma > 0) return sigma;
    if (!source.sigmaMax) source.config.invalid("sigma_max", "a number above 0");
    throw Failure(ErrorCode::BadUsage,
                  "sigma_max is " + std::to_string(sigma) + ", a number above 0 is needed");
}

}  // namespace

Rcm::Rcm(Walk walk, double sigmaMax, NoiseSource noise)
    : m_walk(walk), m_sigmaMax(sigmaMax), m_noise(std::move(noise)) {}

std::unique_ptr<Scheduler> Rcm::makeSde(const SchedulerSource& source) {
    return std::make_unique<Rcm>(Walk::Sde, sigmaMaxOf(source), source.noise);
}

std::unique_ptr<Scheduler> Rcm::makeOde(const SchedulerSource& source) {
    return std::make_unique<Rcm>(Walk::Ode, sigmaMaxOf(source), source.noise);
}

void Rcm::setTimesteps(std::int64_t steps) {
    checkStepCount(steps, kMostSteps);
    m_times = {timeOf(std::atan(m_sigmaMax))};
    for (std::int64_t i = 0; i + 1 < steps; ++i)
        m_times.push_back(timeOf(kAngles.at(static_cast<std::size_t>(i))));
    m_times.push_back(0);
    m_sigmas.assign(m_times.begin(), m_times.end());
    m_timesteps.clear();
    for (std::int64_t i = 0; i < steps; ++i) {
        const auto time = static_cast<double>(m_sigmas[static_cast<std::size_t>(i)]);
        m_timesteps.push_back(static_cast<float>(c10::BFloat16(static_cast<float>(time * kTrainTimesteps))));
    }
}

at::Tensor Rcm::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    const auto index = static_cast<std::size_t>(i);
    const double time = m_times.at(index), next = m_times.at(index + 1);
    execution::FusedValues values;
    const auto x = values.of(sample.to(at::kFloat)), v = values.of(modelOutput.to(at::kFloat));
    if (m_walk == Walk::Ode) return values.made(x - v * (time - next));
    const auto picture = x - v * time;
    // The reference draws for the last step, too, and takes none of it.
    if (next == 0) return values.made(picture);
    if (!m_noise) throw Failure(ErrorCode::Internal, "the rcm sampler has no source of noise");
    return values.made(picture * (1 - next) + values.of(m_noise().to(sample.device())) * next);
}

}  // namespace reelgrid::schedulers
