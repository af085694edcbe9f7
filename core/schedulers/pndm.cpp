#include "core/schedulers/pndm.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/result.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

constexpr const char* kClassName = "PNDMScheduler";
constexpr std::size_t kMostOutputs = 4;
const std::string kFirstSample = "first_sample";

std::string outputName(std::size_t i) {
    return "output" + std::to_string(i);
}

}  // namespace

Pndm::Pndm(const weights::ModelConfig& config) : m_training(VpTraining::from(config, VpSpacing::Leading)) {
    // The configuration of another sampler says nothing of it.
    const bool isOwn = config.textOr("_class_name", kClassName) == kClassName;
    if (!config.flagOr("skip_prk_steps", !isOwn)) config.unsupported("skip_prk_steps", "true");
    if (m_training.prediction == VpPrediction::Picture)
        config.unsupported("prediction_type", "epsilon or v_prediction");
    // The reference's PNDM knows no such schedule and would walk the trained one.
    if (m_training.terminalSnr == TerminalSnr::Zero)
        config.unsupported("rescale_betas_zero_snr", "false for pndm");
    if (!config.flagOr("set_alpha_to_one", false)) m_finalAlphaCumprod = m_training.alphasCumprod.front();
}

double Pndm::alphaCumprod(std::int64_t timestep) const {
    return timestep < 0 ? m_finalAlphaCumprod
                        : m_training.alphasCumprod.at(static_cast<std::size_t>(timestep));
}

void Pndm::setTimesteps(std::int64_t steps) {
    m_steps = m_training.timesteps(steps);
    m_stride = m_training.count() / steps;
    if (m_steps.size() > 1) m_steps.insert(m_steps.begin() + 1, m_steps[1]);
    m_timesteps.assign(m_steps.begin(), m_steps.end());
    m_sigmas.clear();
    for (const std::int64_t timestep : m_steps)
        m_sigmas.push_back(static_cast<float>(std::sqrt(1 - alphaCumprod(timestep))));
    m_sigmas.push_back(static_cast<float>(std::sqrt(1 - alphaCumprod(m_steps.back() - m_stride))));
    m_outputs.clear();
    m_firstSample = at::Tensor();
}

/// Adams-Bashforth of as many outputs as there are.
Value Pndm::combined(execution::FusedValues& values) const {
    std::vector<Value> e;
    for (const at::Tensor& output : m_outputs) e.push_back(values.of(output));
    switch (e.size()) {
        case 1:
            return e[0];
        case 2:
            return (3 * e[0] - e[1]) / 2;
        case 3:
            return (23 * e[0] - 16 * e[1] + 5 * e[2]) / 12;
        default:
            return (55 * e[0] - 59 * e[1] + 37 * e[2] - 9 * e[3]) / 24;
    }
}

/// Formula (9) of the paper.
Value Pndm::moved(const Value& sample, std::int64_t from, std::int64_t to, const Value& output) const {
    const double alpha = alphaCumprod(from), next = alphaCumprod(to);
    const Value noise = noiseOf(m_training.prediction, alpha, sample, output);
    const double divisor = alpha * std::sqrt(1 - next) + std::sqrt(alpha * (1 - alpha) * next);
    return std::sqrt(next / alpha) * sample - (next - alpha) / divisor * noise;
}

at::Tensor Pndm::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    const at::Tensor x = sample.to(at::kFloat), output = modelOutput.to(at::kFloat);
    const std::int64_t timestep = m_steps.at(static_cast<std::size_t>(i));
    execution::FusedValues values;
    if (i == 1) {
        // The first step once more, with the mean of its two ends.
        const at::Tensor begin = m_firstSample;
        m_firstSample = at::Tensor();
        return values.made(moved(values.of(begin), timestep + m_stride, timestep,
                                 (values.of(output) + values.of(m_outputs.front())) / 2));
    }
    if (i == 0) m_firstSample = x;
    m_outputs.push_front(output);
    if (m_outputs.size() > kMostOutputs) m_outputs.pop_back();
    return values.made(moved(values.of(x), timestep, timestep - m_stride, combined(values)));
}

std::optional<SchedulerState> Pndm::state() const {
    SchedulerState state;
    for (std::size_t i = 0; i < m_outputs.size(); ++i) state[outputName(i)] = m_outputs[i];
    if (m_firstSample.defined()) state[kFirstSample] = m_firstSample;
    return state;
}

void Pndm::restore(std::int64_t next, const SchedulerState& state) {
    m_outputs.clear();
    m_firstSample = at::Tensor();
    // The second step adds no output.
    const auto count = static_cast<std::size_t>(next == 0 ? 0 : next == 1 ? 1 : next - 1);
    const auto take = [&](const std::string& name) {
        const auto found = state.find(name);
        if (found == state.end())
            throw Failure(ErrorCode::InvalidData, "what the sampler remembers lacks " + name);
        return found->second;
    };
    for (std::size_t i = 0; i < std::min(count, kMostOutputs); ++i) m_outputs.push_back(take(outputName(i)));
    if (next == 1) m_firstSample = take(kFirstSample);
}

}  // namespace reelgrid::schedulers
