#include "core/execution/part_clock.h"

#include "core/execution/trace_range.h"

namespace reelgrid::execution {

const char* rangeOf(Part part) {
    for (const PartInfo& info : kParts)
        if (info.part == part) return info.range;
    return nullptr;
}

PartScope::PartScope(PartClock* clock, Part part, const std::source_location& here) : m_clock(clock) {
    if (m_clock != nullptr) m_before = m_clock->switchTo(part);
    if (m_range.isActive())
        if (const char* range = rangeOf(part)) beginRange(m_range, range, {}, here);
}

PartScope::~PartScope() {
    m_range.end();
    if (m_clock != nullptr) m_clock->switchTo(m_before);
}

}  // namespace reelgrid::execution
