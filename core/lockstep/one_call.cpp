#include "core/lockstep/one_call.h"

#include <utility>

#include "core/attention/make_dispatcher.h"

namespace reelgrid::lockstep {

OneCall callWith(const std::string& backend, const attention::Inputs& inputs, const attention::CallSite& site,
                 const execution::Execution& execution) {
    // A dispatcher that has seen one call has that call's record alone.
    const auto dispatcher = attention::makeDispatcher(attention::Policy(backend), execution).value();
    at::Tensor out_BHND = dispatcher->attend(inputs, site);
    const std::vector<attention::CallRecord> records = dispatcher->records();
    return {std::move(out_BHND), records.front().seconds, substitutionIn(records)};
}

std::optional<std::string> substitutionIn(const std::vector<attention::CallRecord>& records) {
    for (const attention::CallRecord& record : records)
        if (infoOf(record.kind).followsAttentionType && record.used != record.requested) return record.why;
    return std::nullopt;
}

}  // namespace reelgrid::lockstep
