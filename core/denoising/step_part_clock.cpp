#include "core/denoising/step_part_clock.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

namespace reelgrid::denoising {

using execution::Part;

bool StepPartClock::isMeasured() const {
    if (!m_inStep) return false;
    return !onGpu() || (static_cast<int>(m_steps.size()) - 1) % kGpuSampling == kFirstSampled;
}

/// The time since the last change was m_part's.
void StepPartClock::count(Clock::time_point now) {
    Step& step = m_steps.back();
    if (onGpu()) {
        c10::Event event(m_execution.device.type(), c10::EventFlag::BACKEND_DEFAULT);
        event.record(c10::impl::VirtualGuardImpl(m_execution.device.type()).getStream(m_execution.device));
        step.marks.push_back({m_part, std::move(event)});
    } else {
        step.seconds[static_cast<std::size_t>(m_part)] +=
            std::chrono::duration<double>(now - m_since).count();
        m_since = now;
    }
}

Part StepPartClock::switchTo(Part part) {
    if (isMeasured()) {
        count(onGpu() ? Clock::time_point() : Clock::now());
        m_steps.back().wasTold = true;
    }
    return std::exchange(m_part, part);
}

void StepPartClock::beginStep(Clock::time_point now) {
    m_steps.emplace_back();
    m_inStep = true;
    m_since = now;
    if (onGpu() && isMeasured()) count(now);
}

void StepPartClock::leaveOut(Clock::duration time) {
    if (!m_inStep) return;
    m_since += time;
    m_steps.back().wasInterrupted = onGpu();
}

void StepPartClock::endStep(Clock::time_point now) {
    if (isMeasured()) count(now);
    m_inStep = false;
}

result::StepParts StepPartClock::partsOf(const Step& step) const {
    constexpr double kMilliseconds = 1e-3;
    if (!step.wasTold || step.wasInterrupted) return {};
    Seconds seconds = step.seconds;
    for (std::size_t i = 1; i < step.marks.size(); ++i)
        seconds[static_cast<std::size_t>(step.marks[i].before)] +=
            step.marks[i - 1].event.elapsedTime(step.marks[i].event) * kMilliseconds;
    result::StepParts parts;
    for (const execution::PartInfo& info : execution::kParts) {
        if (info.part == execution::Part::Communication && m_execution.mesh == nullptr) continue;
        parts.emplace_back(info.name, seconds[static_cast<std::size_t>(info.part)]);
    }
    return parts;
}

std::vector<result::StepParts> StepPartClock::take() {
    std::vector<result::StepParts> parts;
    if (std::exchange(m_inStep, false)) m_steps.pop_back();  // begun, and the stage ended
    for (const Step& step : std::exchange(m_steps, {})) parts.push_back(partsOf(step));
    if (std::ranges::all_of(parts, [](const auto& step) { return step.empty(); })) parts.clear();
    return parts;
}

}  // namespace reelgrid::denoising
