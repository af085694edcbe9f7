#include "core/pipeline/stage_clock.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

#include "core/base/result.h"

namespace reelgrid::pipeline {
namespace {

double secondsBetween(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

/// What comes after denoising, as a share of the denoising time: only for the estimate, until the stage
/// itself runs.
constexpr double kShareAfterDenoise = 0.3;
constexpr const char* kDenoise = "denoise";

}  // namespace

StageClock::StageClock(protocol::ProgressCallback progress, std::stop_token stop,
                       execution::Execution execution)
    : m_progress(std::move(progress)), m_stop(std::move(stop)), m_execution(execution) {}

StageClock::Clock::time_point StageClock::now() const {
    m_execution.synchronise();
    return Clock::now();
}

void StageClock::begin(const std::string& stage, int total) {
    end();
    m_stage = stage;
    m_total = total;
    m_stageStart = m_unitStart = now();
    m_marks.clear();
    markUnit();
    checkStop();
    report(0);
}

void StageClock::advance(int done) {
    if (m_execution.device.is_cpu()) {
        const auto finished = now();
        if (m_stage == kDenoise) m_timing.steps.push_back(secondsBetween(m_unitStart, finished));
        m_unitStart = finished;
    } else {
        markUnit();
        m_marks[m_marks.size() - 2].synchronize();
    }
    report(done);
    checkStop();
}

void StageClock::markUnit() {
    if (m_execution.device.is_cpu()) return;
    c10::Event& mark = m_marks.emplace_back(m_execution.device.type(), c10::EventFlag::BACKEND_DEFAULT);
    mark.record(c10::impl::VirtualGuardImpl(m_execution.device.type()).getStream(m_execution.device));
}

void StageClock::takeStepsOfMarks() {
    constexpr double kMilliseconds = 1e-3;
    for (std::size_t unit = 1; unit < m_marks.size() && m_stage == kDenoise; ++unit)
        m_timing.steps.push_back(m_marks[unit - 1].elapsedTime(m_marks[unit]) * kMilliseconds);
    m_marks.clear();
}

void StageClock::end() {
    if (m_stage.empty()) return;
    m_timing.add(m_stage, secondsBetween(m_stageStart, now()));
    takeStepsOfMarks();
    m_stage.clear();
}

void StageClock::startRepetition() {
    end();
    m_timing = {};
}

void StageClock::checkStop() const {
    if (m_stop.stop_requested()) throw Failure(ErrorCode::Cancelled, "the render was cancelled");
}

double StageClock::remainingSeconds(int done) const {
    if (done <= 0 || m_total <= 0) return -1;
    const double spent = secondsBetween(m_stageStart, Clock::now());
    const double left = spent / done * (m_total - done);
    return m_stage == kDenoise ? left + kShareAfterDenoise * (spent + left) : left;
}

void StageClock::report(int done) {
    if (!m_progress) return;
    m_progress({m_stage, done, m_total, secondsBetween(m_jobStart, Clock::now()), remainingSeconds(done)});
}

}  // namespace reelgrid::pipeline
