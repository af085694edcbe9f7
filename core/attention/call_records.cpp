#include "core/attention/call_records.h"

#include <algorithm>

namespace reelgrid::attention {

void CallRecords::count(protocol::ModuleKind kind, const protocol::BackendChoice& choice,
                        std::optional<double> seconds, const at::Tensor& kept) {
    const auto same = [&](const protocol::CallRecord& record) {
        return record.kind == kind && record.requested == choice.requested && record.used == choice.used &&
               record.why == choice.why;
    };
    auto record = std::ranges::find_if(m_records, same);
    if (record == m_records.end()) {
        record = m_records.insert(
            record, {kind, choice.requested, choice.used, choice.why, 0, std::nullopt, std::nullopt});
        m_kept.emplace_back();
    }
    ++record->calls;
    if (seconds) record->seconds = record->seconds.value_or(0) + *seconds;
    if (!kept.defined()) return;
    KeptShares& shares = m_kept[static_cast<std::size_t>(record - m_records.begin())];
    shares.sum = shares.calls == 0 ? kept : shares.sum + kept;
    ++shares.calls;
}

const std::vector<protocol::CallRecord>& CallRecords::all() const {
    for (std::size_t i = 0; i < m_records.size(); ++i)
        if (m_kept[i].calls > 0) m_records[i].kept = m_kept[i].sum.item<double>() / m_kept[i].calls;
    return m_records;
}

}  // namespace reelgrid::attention
