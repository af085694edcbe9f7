#include "core/attention/call_records.h"

#include <algorithm>

namespace reelgrid::attention {

void CallRecords::count(protocol::ModuleKind kind, const protocol::BackendChoice& choice,
                        std::optional<double> seconds, std::optional<double> kept) {
    const auto same = [&](const protocol::CallRecord& record) {
        return record.kind == kind && record.requested == choice.requested && record.used == choice.used &&
               record.why == choice.why;
    };
    auto record = std::ranges::find_if(m_records, same);
    if (record == m_records.end())
        record = m_records.insert(
            record, {kind, choice.requested, choice.used, choice.why, 0, std::nullopt, std::nullopt});
    ++record->calls;
    if (kept)
        record->kept = record->kept.value_or(0) + (*kept - record->kept.value_or(0)) / double(record->calls);
    if (seconds) record->seconds = record->seconds.value_or(0) + *seconds;
}

}  // namespace reelgrid::attention
