#include "core/denoising/stage_clock.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/base/freed_memory.h"
#include "core/base/result.h"
#include "core/execution/memory_peak.h"
#include "core/parallel/rank_group.h"

namespace reelgrid::denoising {
namespace {

double secondsBetween(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

/// What comes after denoising, as a share of the denoising time: only for the estimate, until the stage
/// itself runs.
constexpr double kShareAfterDenoise = 0.3;
constexpr const char* kLoad = "load";
constexpr const char* kImage = "image";
constexpr const char* kText = "text";
constexpr const char* kDenoise = "denoise";
constexpr const char* kProfile = "profile";

}  // namespace

StageClock::StageClock(protocol::ProgressCallback progress, std::stop_token stop,
                       execution::Execution execution)
    : m_progress(std::move(progress)), m_stop(std::move(stop)), m_execution(execution), m_parts(execution) {}

StageClock::Clock::time_point StageClock::now() const {
    m_execution.synchronise();
    return Clock::now();
}

bool StageClock::isDenoising() const {
    return m_stage == kDenoise;
}

void StageClock::begin(const std::string& stage, int total, int done) {
    end();
    m_stage = stage;
    m_total = total;
    m_doneBefore = done;
    m_passes.reset();
    if (m_execution.device.is_cpu()) giveBackFreedMemory();
    m_measuresPeak = execution::restartMemoryPeak(m_execution);
    m_stageStart = m_unitStart = now();
    m_marks.clear();
    mark(/*endsUnit=*/false);
    letWatch(0);
    if (isDenoising()) m_parts.beginStep(m_unitStart);
    checkStop();
    report(done);
}

void StageClock::advance(int done) {
    const bool onCpu = m_execution.device.is_cpu();
    const auto finished = onCpu ? now() : Clock::now();
    if (isDenoising()) m_parts.endStep(finished);
    if (onCpu && isDenoising()) m_timing.steps.push_back(secondsBetween(m_unitStart, finished));
    if (const auto passes = std::exchange(m_passes, std::nullopt)) m_timing.passes.push_back(*passes);
    m_unitStart = finished;
    mark(/*endsUnit=*/true);
    if (!onCpu) m_marks[m_marks.size() - 2].event.synchronize();
    letWatch(done);
    if (m_execution.mesh != nullptr && isDenoising()) m_execution.mesh->group().agreeOnStop();
    if (isDenoising() && done < m_total) m_parts.beginStep(m_unitStart);
    report(done);
    checkStop();
}

/// The watcher's time is taken out of the stage's and of the unit's that comes.
void StageClock::letWatch(int done) {
    if (m_watcher == nullptr) return;
    const StageMoment moment{m_stage, done, m_stage.empty() ? 0 : m_total};
    if (!m_watcher->actsAt(moment)) return m_watcher->at(moment);
    const auto before = now();
    m_watcher->at(moment);
    leaveOut(kProfile, before, now());
}

void StageClock::aside(const std::string& stage, const std::function<void()>& work) {
    const auto before = now();
    work();
    const auto after = now();
    m_parts.leaveOut(after - before);
    leaveOut(stage, before, after);
    checkStop();
}

void StageClock::countPass(PassWork work) {
    if (!m_passes) m_passes.emplace();
    ++(work == PassWork::Whole ? m_passes->whole : m_passes->skipped);
}

result::Timing StageClock::stepsUntilNow() {
    takeStepsOfMarks();  // aside() waited for the device, and makes a new mark
    result::Timing now = m_timing;
    now.add(kDenoise, secondsBetween(m_stageStart, m_unitStart));
    now.goOnFrom(m_earlier);
    return now;
}

void StageClock::leaveOut(const std::string& stage, Clock::time_point from, Clock::time_point to) {
    m_timing.add(stage, secondsBetween(from, to));
    m_stageStart += to - from;
    m_unitStart += to - from;
    mark(/*endsUnit=*/false);
}

void StageClock::mark(bool endsUnit) {
    if (m_execution.device.is_cpu()) return;
    Mark& mark = m_marks.emplace_back(
        Mark{c10::Event(m_execution.device.type(), c10::EventFlag::BACKEND_DEFAULT), endsUnit});
    mark.event.record(c10::impl::VirtualGuardImpl(m_execution.device.type()).getStream(m_execution.device));
}

void StageClock::takeStepsOfMarks() {
    constexpr double kMilliseconds = 1e-3;
    for (std::size_t i = 1; i < m_marks.size() && isDenoising(); ++i)
        if (m_marks[i].endsUnit)
            m_timing.steps.push_back(m_marks[i - 1].event.elapsedTime(m_marks[i].event) * kMilliseconds);
    m_marks.clear();
}

void StageClock::end() {
    if (m_stage.empty()) return;
    m_timing.add(m_stage, secondsBetween(m_stageStart, now()));
    if (const auto peak = execution::memoryPeak(m_execution); peak && m_measuresPeak)
        m_timing.addPeak(m_stage, *peak);
    takeStepsOfMarks();
    if (isDenoising()) m_timing.stepParts = m_parts.take();
    m_stage.clear();
    letWatch(0);
}

void StageClock::startRepetition() {
    end();
    m_timing = {};
    m_earlier = {};
    m_repetitionStart = Clock::now();
}

result::Timing StageClock::finishRepetition() {
    end();
    m_timing.wallTime = secondsBetween(m_repetitionStart, now());
    m_timing.goOnFrom(m_earlier);
    return m_timing.complete();
}

void StageClock::checkStop() const {
    if (m_stop.stop_requested()) throw Failure(ErrorCode::Cancelled, "the render was cancelled");
}

double StageClock::remainingSeconds(int done) const {
    if (done <= m_doneBefore || m_total <= 0) return -1;
    // What comes before denoising tells nothing of the job's time.
    if (m_stage == kLoad || m_stage == kText) return -1;
    const double spent = secondsBetween(m_stageStart, Clock::now());
    const double left = spent / (done - m_doneBefore) * (m_total - done);
    return m_stage == kDenoise ? left + kShareAfterDenoise * (spent + left) : left;
}

/// As others are told where this rank is, should it end there.
std::string StageClock::moment(int done) const {
    if (!isDenoising()) return m_stage;
    return "step " + std::to_string(std::min(done + 1, m_total)) + " of " + std::to_string(m_total);
}

void StageClock::shareSlowest() {
    if (m_execution.mesh == nullptr) return;
    constexpr std::array kShared{kLoad, kImage, kText, kDenoise};
    std::vector<double> seconds = m_timing.steps;
    for (const char* stage : kShared) seconds.push_back(m_timing.stage(stage).value_or(0));
    seconds = m_execution.mesh->group().all().largest(seconds);
    std::copy_n(seconds.begin(), m_timing.steps.size(), m_timing.steps.begin());
    for (auto& [stage, mine] : m_timing.stages)
        for (std::size_t i = 0; i < kShared.size(); ++i)
            if (stage == kShared[i]) mine = seconds[m_timing.steps.size() + i];
}

void StageClock::report(int done) {
    if (m_execution.mesh != nullptr) m_execution.mesh->group().watch().at(moment(done));
    if (!m_progress) return;
    m_progress({m_stage, done, m_total, secondsBetween(m_jobStart, Clock::now()), remainingSeconds(done)});
}

}  // namespace reelgrid::denoising
