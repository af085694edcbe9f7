#include "core/lockstep/call_comparison.h"

#include <limits>
#include <utility>

#include "core/base/result.h"

namespace reelgrid::lockstep {

namespace {
constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
}

CallComparison::CallComparison(const std::vector<std::string>& backends, int layers, int steps,
                               const execution::Execution& execution, attention::CallSettings settings)
    : m_execution(execution), m_settings(std::move(settings)) {
    m_frame.layers = layers;
    m_frame.steps = steps;
    m_frame.reference = protocol::kReferenceBackend;
    if (execution.device.is_cpu()) m_frame.seconds.assign(m_frame.sites(), 0);
    for (const std::string& name : backends) m_backends.push_back({name, std::vector<Site>(m_frame.sites())});
}

void CallComparison::served(const attention::Call& call, const attention::Served& reference) {
    if (!infoOf(call.site.kind).followsAttentionType) return;
    if (call.site.layer >= m_frame.layers || call.pass.step >= m_frame.steps)
        throw Failure(ErrorCode::Internal, "layer " + std::to_string(call.site.layer) + " of step " +
                                               std::to_string(call.pass.step) +
                                               " is outside the lockstep map");
    const std::size_t index = m_frame.site(call.site.layer, call.pass.step);
    if (reference.seconds) m_frame.seconds[index] += *reference.seconds;
    for (Backend& backend : m_backends) compare(backend, index, call, reference.out_BHND);
}

void CallComparison::compare(Backend& backend, std::size_t index, const attention::Call& call,
                             const at::Tensor& reference_BHND) const {
    Site& site = backend.sites[index];
    const attention::Served other =
        attention::serve(backend.name, call.inputs, m_execution,
                         {.kind = call.site.kind,
                          .slaTopk = m_settings.slaTopk,
                          .context = {.module = protocol::nameOf(call.site.kind),
                                      .branch = protocol::nameOf(call.pass.branch),
                                      .family = m_settings.family.c_str(),
                                      .layer = call.site.layer,
                                      .step = call.pass.step,
                                      .steps = m_frame.steps,
                                      .options = m_settings.options.of(backend.name)}});
    if (other.used != backend.name) {
        site.complete = false;
        backend.why = other.why;
        return;
    }
    site.sums.add(reference_BHND, other.out_BHND);
    site.seconds += other.seconds.value_or(0);
}

metrics::LockstepMap CallComparison::map() const {
    metrics::LockstepMap map = m_frame;
    for (const Backend& backend : m_backends) {
        metrics::LockstepBackend& own = map.backends.emplace_back();
        own.name = backend.name;
        own.why = backend.why;
        for (const Site& site : backend.sites) {
            const bool measured = site.complete && !site.sums.empty();
            const OutputError error =
                measured ? site.sums.error() : OutputError{kNotMeasured, kNotMeasured, kNotMeasured};
            own.attention.cosine.push_back(error.cosine);
            own.attention.relativeL1.push_back(error.relativeL1);
            own.attention.rmse.push_back(error.rmse);
            if (!m_frame.seconds.empty()) own.seconds.push_back(measured ? site.seconds : kNotMeasured);
        }
    }
    return map;
}

}  // namespace reelgrid::lockstep
