#include "core/schedulers/unipc_multistep.h"

#include <algorithm>
#include <cmath>

#include "core/base/result.h"
#include "core/weights/model_config.h"

namespace reelgrid::schedulers {
namespace {

double numberOf(const at::Tensor& scalar) {
    return static_cast<double>(scalar.item<float>());
}

}  // namespace

UniPCOptions UniPCOptions::from(const weights::ModelConfig& config) {
    if (config.textOr("prediction_type", "epsilon") != "flow_prediction")
        config.unsupported("prediction_type", "flow_prediction");
    if (!config.flagOr("use_flow_sigmas", false)) config.unsupported("use_flow_sigmas", "true");
    if (!config.flagOr("predict_x0", true)) config.unsupported("predict_x0", "true");
    if (config.has("solver_p")) config.unsupported("solver_p", "null");
    if (config.flagOr("thresholding", false)) config.unsupported("thresholding", "false");

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

/// Everything of one predictor or corrector move that doesn't depend on the sample. Scalars are 0-dim
/// float32 tensors, so that they round and saturate (log 0, expm1(-inf)) as the reference's do.
struct UniPCMultistep::Move {
    at::Tensor carry;                ///< σ' / σ: how much of the sample stays
    at::Tensor pull;                 ///< α' (e^-h - 1): minus how much of the newest picture comes
    at::Tensor weightB;              ///< α' B(h)
    std::vector<at::Tensor> ratios;  ///< r_k of the earlier levels
    at::Tensor matrixR, rightB;      ///< the order conditions R ρ = b
};

std::unique_ptr<Scheduler> UniPCMultistep::make(const SchedulerSource& source) {
    const FlowSigmas sigmas = FlowSigmas::from(source.config, source.stored.shiftKey, source.flowShift);
    // Euler's spacings mean other levels here.
    if (sigmas.spacing != SigmaSpacing::Shifted)
        source.config.unsupported(keyOf(sigmas.spacing), "false for unipc");
    return std::make_unique<UniPCMultistep>(
        sigmas, source.isStored ? UniPCOptions::from(source.config) : UniPCOptions{});
}

UniPCMultistep::UniPCMultistep(const FlowSigmas& sigmas, UniPCOptions options)
    : m_flow(sigmas), m_options(std::move(options)) {}

void UniPCMultistep::setTimesteps(std::int64_t steps) {
    checkStepCount(steps, m_flow.trainTimesteps);
    const auto train = static_cast<double>(m_flow.trainTimesteps);
    std::vector<double> levels = linspace(1.0, 1.0 / train, steps + 1);
    levels.pop_back();
    m_flow.apply(levels);
    constexpr double kBelowOne = 1e-6;  // at level 1 the log-SNR is -inf
    if (std::abs(levels.front() - 1) < kBelowOne) levels.front() -= kBelowOne;

    m_timesteps.clear();
    for (const double level : levels)
        m_timesteps.push_back(static_cast<float>(static_cast<std::int64_t>(level * train)));
    levels.push_back(m_options.finalSigma == FinalSigma::Zero ? 0.0 : levels.back());
    m_sigmas.assign(levels.begin(), levels.end());

    m_pictures.clear();
    m_lastSample = at::Tensor();
    m_lastOrder = 0;
    m_next = 0;
}

at::Tensor UniPCMultistep::step(const at::Tensor& modelOutput, std::int64_t i, const at::Tensor& sample) {
    const auto steps = static_cast<std::int64_t>(m_timesteps.size());
    if (i != m_next || i >= steps)
        throw Failure(ErrorCode::Internal, "UniPC was asked for step " + std::to_string(i) + ", step " +
                                               std::to_string(m_next) + " of " + std::to_string(steps) +
                                               " is next");
    const float sigma = m_sigmas[static_cast<std::size_t>(i)];
    execution::FusedValues values;
    Value current = values.of(sample.to(at::kFloat));
    const Value picture = current - values.of(modelOutput.to(at::kFloat)) * sigma;

    const auto& disabled = m_options.disableCorrector;
    if (i > 0 && std::find(disabled.begin(), disabled.end(), i - 1) == disabled.end())
        current = correct(values, i, picture);

    m_lastOrder = orderAt(i);
    const std::vector<at::Tensor> made =
        values.made({predict(values, i, current, picture), current, picture});
    m_pictures.push_front(made[2]);
    if (m_pictures.size() > static_cast<std::size_t>(m_options.solverOrder)) m_pictures.pop_back();
    m_lastSample = made[1];
    m_next = i + 1;
    return made[0];
}

/// Orders grow from 1 as pictures come in and fall back to 1 towards the last step.
std::int64_t UniPCMultistep::orderAt(std::int64_t i) const {
    return std::min({m_options.solverOrder, static_cast<std::int64_t>(m_timesteps.size()) - i, i + 1});
}

std::optional<SchedulerState> UniPCMultistep::state() const {
    SchedulerState state;
    for (std::size_t i = 0; i < m_pictures.size(); ++i) state["picture." + std::to_string(i)] = m_pictures[i];
    if (m_lastSample.defined()) state["last_sample"] = m_lastSample;
    return state;
}

void UniPCMultistep::restore(std::int64_t next, const SchedulerState& state) {
    const auto part = [&](const std::string& name) {
        const auto found = state.find(name);
        if (found == state.end())
            throw Failure(ErrorCode::InvalidData,
                          "UniPC's state has no " + name + ", which step " + std::to_string(next) + " needs");
        return found->second;
    };
    m_pictures.clear();
    for (std::int64_t i = 0; i < std::min(next, m_options.solverOrder); ++i)
        m_pictures.push_back(part("picture." + std::to_string(i)));
    m_lastSample = next > 0 ? part("last_sample") : at::Tensor();
    m_lastOrder = next > 0 ? orderAt(next - 1) : 0;
    m_next = next;
}

at::Tensor UniPCMultistep::lambda(std::int64_t i) const {
    const at::Tensor sigma = at::scalar_tensor(m_sigmas[static_cast<std::size_t>(i)], at::kFloat);
    return at::log(1 - sigma) - at::log(sigma);
}

UniPCMultistep::Move UniPCMultistep::moveBetween(std::int64_t from, std::int64_t to,
                                                 std::int64_t order) const {
    const at::Tensor sigmaFrom = at::scalar_tensor(m_sigmas[static_cast<std::size_t>(from)], at::kFloat);
    const at::Tensor sigmaTo = at::scalar_tensor(m_sigmas[static_cast<std::size_t>(to)], at::kFloat);
    const at::Tensor alphaTo = 1 - sigmaTo;
    const at::Tensor h = lambda(to) - lambda(from);
    const at::Tensor growth = at::expm1(-h);
    const at::Tensor b = m_options.type == UniPCType::Bh1 ? -h : growth;

    Move move{sigmaTo / sigmaFrom, alphaTo * growth, alphaTo * b, {}, {}, {}};
    for (std::int64_t k = 1; k < order; ++k) move.ratios.push_back((lambda(from - k) - lambda(from)) / h);

    std::vector<at::Tensor> nodes = move.ratios;
    nodes.push_back(at::ones({}, at::kFloat));
    const at::Tensor r = at::stack(nodes);
    std::vector<at::Tensor> rows, right;
    at::Tensor phi = growth / -h - 1;
    double factorial = 1;
    for (std::int64_t k = 1; k <= order; ++k) {
        rows.push_back(at::pow(r, k - 1));
        right.push_back(phi * factorial / b);
        factorial *= static_cast<double>(k + 1);
        phi = phi / -h - 1 / factorial;
    }
    move.matrixR = at::stack(rows);
    move.rightB = at::stack(right);
    return move;
}

UniPCMultistep::Value UniPCMultistep::predict(execution::FusedValues& values, std::int64_t i,
                                              const Value& sample, const Value& newest) const {
    const Move move = moveBetween(i, i + 1, m_lastOrder);
    const Value moved = numberOf(move.carry) * sample - numberOf(move.pull) * newest;
    // At order 1 there is nothing to add, and B(h) may be infinite on the way to level 0.
    if (m_lastOrder == 1) return moved;

    const auto earlier = m_lastOrder - 1;
    const at::Tensor rho = m_lastOrder == 2
                               ? at::full({1}, 0.5, at::kFloat)
                               : at::linalg_solve(move.matrixR.narrow(0, 0, earlier).narrow(1, 0, earlier),
                                                  move.rightB.narrow(0, 0, earlier));
    // m_pictures are those before `newest`.
    const auto term = [&](std::int64_t k) {
        const auto index = static_cast<std::size_t>(k);
        return numberOf(rho[k]) * ((values.of(m_pictures[index]) - newest) / numberOf(move.ratios[index]));
    };
    Value sum = term(0);
    for (std::int64_t k = 1; k < earlier; ++k) sum = sum + term(k);
    return moved - numberOf(move.weightB) * sum;
}

UniPCMultistep::Value UniPCMultistep::correct(execution::FusedValues& values, std::int64_t i,
                                              const Value& picture) const {
    const Move move = moveBetween(i - 1, i, m_lastOrder);
    const Value newest = values.of(m_pictures.front());
    const auto earlier = m_lastOrder - 1;
    const at::Tensor rho =
        m_lastOrder == 1 ? at::full({1}, 0.5, at::kFloat) : at::linalg_solve(move.matrixR, move.rightB);
    Value sum = numberOf(rho[earlier]) * (picture - newest);
    for (std::int64_t k = 0; k < earlier; ++k) {
        const auto index = static_cast<std::size_t>(k);
        sum = sum +
              numberOf(rho[k]) * ((values.of(m_pictures[index + 1]) - newest) / numberOf(move.ratios[index]));
    }
    return numberOf(move.carry) * values.of(m_lastSample) - numberOf(move.pull) * newest -
           numberOf(move.weightB) * sum;
}

}  // namespace reelgrid::schedulers
