#include "core/lockstep/lockstep_observer.h"

#include <limits>
#include <utility>

#include "core/attention/make_dispatcher.h"
#include "core/base/result.h"
#include "core/lockstep/call_comparison.h"

namespace reelgrid::lockstep {

namespace {

constexpr double kUnmeasured = std::numeric_limits<double>::quiet_NaN();

double rms(const at::Tensor& values) {
    return values.to(at::kDouble).square().mean().sqrt().item<double>();
}

/// Why a backend did not run in calls that --attention-type covers; nothing when it ran in all of them.
std::optional<std::string> substitutionIn(const std::vector<attention::CallRecord>& records) {
    for (const attention::CallRecord& record : records)
        if (record.isSubstituted()) return record.why;
    return std::nullopt;
}

void push(metrics::OutputErrors& errors, const OutputError& error) {
    errors.cosine.push_back(error.cosine);
    errors.relativeL1.push_back(error.relativeL1);
    errors.rmse.push_back(error.rmse);
}

}  // namespace

LockstepObserver::LockstepObserver(std::vector<std::string> backends, int layers, int steps,
                                   const execution::Execution& execution, denoising::StageClock& clock,
                                   attention::CallSettings settings)
    : m_backends(std::move(backends)),
      m_execution(execution),
      m_settings(std::move(settings)),
      m_clock(clock),
      m_flows(m_backends.size()),
      m_whys(m_backends.size()),
      m_layers(layers),
      m_stepCount(steps) {}

void LockstepObserver::predicted(int, const at::Tensor& latents, Prediction predict) {
    m_steps.push_back({latents, std::move(predict)});
}

void LockstepObserver::denoised(const at::Tensor& latents) {
    // A unit is one prediction of a step: the one that attends with all backends takes as long as several,
    // which only the estimate of what is left suffers from.
    m_clock.begin("lockstep", int(m_steps.size() * (1 + m_backends.size())));
    CallComparison comparison(m_backends, m_layers, m_stepCount, m_execution, m_settings);
    const auto reference =
        attention::makeDispatcher(attention::Policy(protocol::kReferenceBackend), m_execution).value();
    reference->observe(comparison);
    for (std::size_t step = 0; step < m_steps.size(); ++step)
        measure(step, step + 1 < m_steps.size() ? m_steps[step + 1].latents : latents, *reference);
    m_clock.end();
    m_steps.clear();

    m_map = comparison.map();
    m_map.stepSize = std::move(m_stepSizes);
    for (std::size_t i = 0; i < m_backends.size(); ++i) {
        m_map.backends[i].flow = std::move(m_flows[i]);
        if (m_map.backends[i].why.empty()) m_map.backends[i].why = m_whys[i];
    }
}

const metrics::LockstepMap& LockstepObserver::map() const {
    if (m_map.steps == 0)
        throw Failure(ErrorCode::Internal, "this family's denoising has no steps to measure in lockstep");
    return m_map;
}

void LockstepObserver::measure(std::size_t index, const at::Tensor& next, attention::Dispatcher& attention) {
    const Step& step = m_steps[index];
    const at::Tensor reference = step.predict(attention).clone();
    m_clock.advance(++m_done);
    m_stepSizes.push_back(rms(next.to(at::kFloat) - step.latents.to(at::kFloat)) / rms(reference));
    for (std::size_t i = 0; i < m_backends.size(); ++i) {
        const at::Tensor flow = predictWith(m_backends[i], step, m_whys[i]);
        OutputError error{kUnmeasured, kUnmeasured, kUnmeasured};
        if (flow.defined()) {
            ErrorSums sums;
            sums.add(reference, flow);
            error = sums.error();
        }
        push(m_flows[i], error);
        m_clock.advance(++m_done);
    }
}

/// Undefined, with the reason, when the backend didn't run in all of the step's calls.
at::Tensor LockstepObserver::predictWith(const std::string& backend, const Step& step,
                                         std::string& why) const {
    const auto dispatcher =
        attention::makeDispatcher(attention::Policy(backend), m_execution, m_settings).value();
    at::Tensor flow = step.predict(*dispatcher);
    const auto substituted = substitutionIn(dispatcher->records());
    if (!substituted) return flow;
    why = *substituted;
    return {};
}

}  // namespace reelgrid::lockstep
