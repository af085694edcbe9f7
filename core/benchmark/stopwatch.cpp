#include "core/benchmark/stopwatch.h"

#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <ctime>

namespace reelgrid::benchmark {
namespace {

/// Several times the L2 cache of any GPU so far (an H100 has 50 MB).
constexpr std::int64_t kFlushedBytes = std::int64_t{256} << 20;

double processorSeconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

}  // namespace

double wallSeconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Stopwatch::Stopwatch(const execution::Execution& execution, Clock clock)
    : m_execution(execution), m_clock(clock) {
    if (!execution.device.is_cpu())
        m_flushed = at::zeros({kFlushedBytes}, at::TensorOptions(execution.device).dtype(at::kByte));
}

double Stopwatch::time(const std::function<void()>& work) const {
    return timeParts([&](Preparation&) { work(); }).seconds;
}

Lap Stopwatch::timeParts(const std::function<void(Preparation&)>& work) const {
    if (m_flushed.defined()) return timeOnGpu(work);
    const auto now = m_clock == Clock::Processor ? processorSeconds : wallSeconds;
    Preparation preparation;
    const double start = now();
    work(preparation);
    return {now() - start, preparation.seconds};
}

Lap Stopwatch::timeOnGpu(const std::function<void(Preparation&)>& work) const {
    const c10::impl::VirtualGuardImpl backend(m_execution.device.type());
    const c10::Stream stream = backend.getStream(m_execution.device);
    c10::Event begin(m_execution.device.type(), c10::EventFlag::BACKEND_DEFAULT);
    c10::Event prepared(m_execution.device.type(), c10::EventFlag::BACKEND_DEFAULT);
    c10::Event end(m_execution.device.type(), c10::EventFlag::BACKEND_DEFAULT);
    m_flushed.zero_();
    prepared.record(stream);  // before the beginning, until a kernel records it again
    begin.record(stream);
    Preparation preparation{.event = prepared.eventId()};
    work(preparation);
    end.record(stream);
    end.synchronize();
    constexpr double kMillisecond = 1e-3;
    return {begin.elapsedTime(end) * kMillisecond, std::max(0.0, begin.elapsedTime(prepared) * kMillisecond)};
}

}  // namespace reelgrid::benchmark
