#include "core/schedulers/dpm_multistep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/base/result.h"
#include "core/schedulers/flow_sigmas.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

constexpr const char* kLastPicture = "picture";

/// Below it no level lies. diffusers writes none at all as -Infinity, which JSON has no number for.
double leastLambdaOf(const weights::ModelConfig& config) {
    constexpr const char* kKey = "lambda_min_clipped";
    const bool isNone = !config.has(kKey) || (!config.isNumber(kKey) && config.text(kKey) == "-Infinity");
    return isNone ? -std::numeric_limits<double>::infinity() : config.number(kKey);
}

}  // namespace

DpmMultistep::DpmMultistep(const weights::ModelConfig& config, NoiseSource noise)
    : m_training(VpTraining::from(config, VpSpacing::Linspace)),
      m_levels(VpSigmas::from(config)),
      m_solverOrder(config.positiveOr("solver_order", 2, 3)),
      m_lambdaMinClipped(leastLambdaOf(config)),
      m_roundsTimesteps(config.textOr("beta_schedule", "linear") != "squaredcos_cap_v2"),
      m_noise(std::move(noise)) {
    if (m_solverOrder > 2) config.unsupported("solver_order", "1 or 2");
    if (config.flagOr("thresholding", false)) config.unsupported("thresholding", "false");
    if (config.has("variance_type")) config.unsupported("variance_type", "null");
    const std::string algorithm = config.textOr("algorithm_type", "dpmsolver++");
    if (algorithm == "sde-dpmsolver++")
        m_noiseUse = Noise::EachStep;
    else if (algorithm != "dpmsolver++")
        config.unsupported("algorithm_type", "dpmsolver++ or sde-dpmsolver++");
    const std::string solver = config.textOr("solver_type", "midpoint");
    if (solver == "heun")
        m_solver = Solver::Heun;
    else if (solver != "midpoint")
        config.unsupported("solver_type", "midpoint or heun");
    // At σ = 0 the second order divides by nothing.
    if (config.flagOr("euler_at_final", false) || m_levels.final == VpSigmas::Final::Zero)
        m_lastStep = LastStep::FirstOrder;
    else if (!config.flagOr("lower_order_final", true))
        m_lastStep = LastStep::AsOthers;
}

/// How many training timesteps there are above the least log-SNR that is allowed.
std::int64_t DpmMultistep::lastTrainedTimestep() const {
    std::int64_t below = 0;
    for (const double sigma : m_training.sigmas())
        if (-std::log(sigma) < m_lambdaMinClipped) ++below;
    return m_training.count() - below;
}

void DpmMultistep::setTimesteps(std::int64_t steps) {
    checkStepCount(steps, m_training.count());
    const std::int64_t last = lastTrainedTimestep();
    std::vector<double> timesteps;
    if (m_training.spacing == VpSpacing::Linspace) {
        for (const double level : linspace(0, static_cast<double>(last - 1), steps + 1))
            timesteps.push_back(std::nearbyint(level));
        std::ranges::reverse(timesteps);
        timesteps.pop_back();
    } else if (m_training.spacing == VpSpacing::Leading) {
        const std::int64_t stride = last / (steps + 1);
        for (std::int64_t i = steps; i > 0; --i)
            timesteps.push_back(static_cast<double>(i * stride + m_training.stepsOffset));
    } else {
        const double ratio = static_cast<double>(m_training.count()) / static_cast<double>(steps);
        const auto levels = static_cast<std::int64_t>(std::ceil(static_cast<double>(last) / ratio));
        for (std::int64_t i = 0; i < levels; ++i)
            timesteps.push_back(std::nearbyint(static_cast<double>(last) - static_cast<double>(i) * ratio) -
                                1);
    }
    const std::vector<double> trained = m_training.sigmas();
    m_sigmas = m_levels.at(timesteps, m_training, {trained.back(), trained.front()});
    m_timesteps.clear();
    // Whole numbers in the reference: of a spacing of its own nearest ones, or cut off.
    for (const double timestep : timesteps)
        m_timesteps.push_back(static_cast<float>(
            m_roundsTimesteps && m_levels.spacing == VpSigmas::Spacing::Karras ? std::nearbyint(timestep)
                                                                               : std::trunc(timestep)));
    m_lastPicture = at::Tensor();
}

DpmMultistep::Level DpmMultistep::levelAt(std::int64_t i) const {
    const double sigma = m_sigmas.at(static_cast<std::size_t>(i));
    const double alpha = 1 / std::sqrt(sigma * sigma + 1);
    return {alpha, sigma * alpha, -std::log(sigma)};
}

std::int64_t DpmMultistep::orderAt(std::int64_t i) const {
    constexpr std::int64_t kFewSteps = 15;
    const auto steps = static_cast<std::int64_t>(m_timesteps.size());
    const bool lowered =
        m_lastStep == LastStep::FirstOrder || (m_lastStep == LastStep::FirstOrderOfFew && steps < kFewSteps);
    return i == 0 || (i + 1 == steps && lowered) ? 1 : m_solverOrder;
}

at::Tensor DpmMultistep::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    const Level from = levelAt(i), to = levelAt(i + 1);
    execution::FusedValues values;
    const auto x = values.of(sample.to(at::kFloat)), output = values.of(modelOutput.to(at::kFloat));
    const Value picture = pictureOf(m_training.prediction, from.alpha * from.alpha, x, output);
    const double h = to.lambda - from.lambda;
    const bool drawn = m_noiseUse == Noise::EachStep;
    // Of the picture: what the step leaves of the noise, twice that far with fresh noise.
    const double decay = std::exp(drawn ? -2 * h : -h);
    Value moved = to.sigma / from.sigma * (drawn ? std::exp(-h) : 1) * x + to.alpha * (1 - decay) * picture;
    if (orderAt(i) == 2) {
        const double before = from.lambda - levelAt(i - 1).lambda;
        const Value slope = h / before * (picture - values.of(m_lastPicture));
        const double share = m_solver == Solver::Midpoint ? 0.5 * (1 - decay)
                             : drawn                      ? (1 - decay) / (-2 * h) + 1
                                                          : (decay - 1) / h + 1;
        moved = moved + to.alpha * share * slope;
    }
    if (drawn) {
        const at::Tensor noise = m_noise().to(sample.options().dtype(at::kFloat));
        moved = moved + to.sigma * std::sqrt(1 - decay) * values.of(noise);
    }
    const std::vector<at::Tensor> made = values.made({moved, picture});
    m_lastPicture = made[1];
    return made[0];
}

std::optional<SchedulerState> DpmMultistep::state() const {
    SchedulerState state;
    if (m_lastPicture.defined()) state[kLastPicture] = m_lastPicture;
    return state;
}

void DpmMultistep::restore(std::int64_t next, const SchedulerState& state) {
    m_lastPicture = at::Tensor();
    if (next == 0) return;
    const auto picture = state.find(kLastPicture);
    if (picture == state.end())
        throw Failure(ErrorCode::InvalidData, std::string("DPM++'s state has no ") + kLastPicture +
                                                  ", which step " + std::to_string(next) + " needs");
    m_lastPicture = picture->second;
}

}  // namespace reelgrid::schedulers
