#include "core/lockstep/lockstep_dispatcher.h"

#include <limits>

#include "core/base/result.h"
#include "core/lockstep/one_call.h"

namespace reelgrid::lockstep {

namespace {
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
}

LockstepDispatcher::LockstepDispatcher(const std::vector<std::string>& backends, int layers, int steps,
                                       const execution::Execution& execution)
    : m_execution(execution) {
    m_frame.layers = layers;
    m_frame.steps = steps;
    m_frame.reference = protocol::kReferenceBackend;
    if (execution.device.is_cpu()) m_frame.seconds.assign(m_frame.sites(), 0);
    for (const std::string& name : backends) m_backends.push_back({name, std::vector<Site>(m_frame.sites())});
}

void LockstepDispatcher::beginPass(int step, attention::GuidanceBranch) {
    m_step = step;
}

at::Tensor LockstepDispatcher::attend(const attention::Inputs& inputs, const attention::CallSite& site) {
    OneCall reference = callWith(protocol::kReferenceBackend, inputs, site, m_execution);
    if (!infoOf(site.kind).followsAttentionType) return std::move(reference.out_BHND);
    if (site.layer >= m_frame.layers || m_step >= m_frame.steps)
        throw Failure(ErrorCode::Internal, "layer " + std::to_string(site.layer) + " of step " +
                                               std::to_string(m_step) + " is outside the lockstep map");
    const std::size_t index = m_frame.site(site.layer, m_step);
    if (reference.seconds) m_frame.seconds[index] += *reference.seconds;
    for (Backend& backend : m_backends) compare(backend, index, reference.out_BHND, inputs, site);
    return std::move(reference.out_BHND);
}

void LockstepDispatcher::compare(Backend& backend, std::size_t index, const at::Tensor& reference_BHND,
                                 const attention::Inputs& inputs, const attention::CallSite& callSite) {
    Site& site = backend.sites[index];
    const OneCall call = callWith(backend.name, inputs, callSite, m_execution);
    if (call.whyNot) {
        site.complete = false;
        backend.why = *call.whyNot;
        return;
    }
    site.sums.add(reference_BHND, call.out_BHND);
    site.seconds += call.seconds.value_or(0);
}

metrics::LockstepMap LockstepDispatcher::map() const {
    metrics::LockstepMap map = m_frame;
    for (const Backend& backend : m_backends) {
        metrics::LockstepBackend& own = map.backends.emplace_back();
        own.name = backend.name;
        own.why = backend.why;
        for (const Site& site : backend.sites) {
            const bool measured = site.complete && !site.sums.empty();
            const OutputError error = measured ? site.sums.error() : OutputError{kNone, kNone, kNone};
            own.attention.cosine.push_back(error.cosine);
            own.attention.relativeL1.push_back(error.relativeL1);
            own.attention.rmse.push_back(error.rmse);
            if (!m_frame.seconds.empty()) own.seconds.push_back(measured ? site.seconds : kNone);
        }
    }
    return map;
}

}  // namespace reelgrid::lockstep
