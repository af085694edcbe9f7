#include "core/pipeline/step_profiler.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/profile/gzip_file.h"

namespace reelgrid::pipeline {
namespace {

namespace profiler = torch::autograd::profiler;
using torch::profiler::impl::ActivityType;
using torch::profiler::impl::ProfilerConfig;
using torch::profiler::impl::ProfilerState;

constexpr const char* kDenoise = "denoise";
constexpr const char* kDecode = "decode";

/// The profiler's library looks for GPUs even where none is asked for, and says on stderr that it found none.
/// Read when it starts; what the user has set stays.
void sayNothingOfMissingGpus() {
    setenv("KINETO_LOG_LEVEL", "5", /*overwrite=*/0);
}

void open(std::optional<at::RecordFunction>& range, const std::string& name) {
    range.reset();
    range.emplace(at::RecordScope::USER_SCOPE);
    if (range->isActive()) range->before(name);
}

}  // namespace

StepProfiler::StepProfiler(const Schedule& schedule, const execution::Execution& execution)
    : m_schedule(schedule), m_activities{ActivityType::CPU} {
    if (execution.device.is_cuda())
        m_activities.insert(ActivityType::CUDA);
    else
        sayNothingOfMissingGpus();
}

StepProfiler::~StepProfiler() {
    m_stepRange.reset();
    m_stageRange.reset();
    try {
        // What is ready can only be ended once it has started.
        if (m_state == State::Ready) start();
        if (m_state == State::Recording) (void)profiler::disableProfiler();
    } catch (const std::exception&) {
        // The render failed before; that is what is told.
    }
}

ProfilerConfig StepProfiler::config() {
    constexpr bool kWithShapes = true;
    return ProfilerConfig(ProfilerState::KINETO, kWithShapes);
}

std::optional<int> StepProfiler::stepOf(const denoising::StageMoment& moment) const {
    if (moment.stage == kDenoise) return moment.done;
    if (moment.stage == kDecode && moment.done == 0) return m_steps;
    if (moment.stage.empty() && m_decoding) return m_steps + 1;
    return std::nullopt;
}

bool StepProfiler::actsAt(const denoising::StageMoment& moment) const {
    const auto step = stepOf(moment);
    if (!step) return false;
    const int ready = m_schedule.wait, first = ready + m_schedule.warmup, end = first + m_schedule.active;
    return (m_state == State::Waiting && *step >= ready) || (m_state == State::Ready && *step >= first) ||
           (m_state == State::Recording && *step >= end);
}

void StepProfiler::at(const denoising::StageMoment& moment) {
    if (moment.stage == kDenoise) m_steps = moment.total;
    const bool acts = actsAt(moment);
    const int step = stepOf(moment).value_or(-1);
    if (!moment.stage.empty()) m_decoding = moment.stage == kDecode;
    if (m_state == State::Recording) {
        m_stepRange.reset();
        if (moment.done == 0) m_stageRange.reset();
        if (acts) return stop();
    } else if (acts) {
        if (m_state == State::Waiting) prepare();
        if (step >= m_schedule.wait + m_schedule.warmup) start();
    }
    if (m_state == State::Recording) nameRanges(moment);
}

void StepProfiler::nameRanges(const denoising::StageMoment& moment) {
    if (moment.stage.empty()) return;
    if (!m_stageRange) open(m_stageRange, moment.stage);
    if (moment.stage == kDenoise && moment.done < moment.total)
        open(m_stepRange, "step " + std::to_string(moment.done));
    m_hasDecode = m_hasDecode || moment.stage == kDecode;
}

void StepProfiler::prepare() {
    profiler::prepareProfiler(config(), m_activities);
    m_state = State::Ready;
}

void StepProfiler::start() {
    profiler::enableProfiler(config(), m_activities);
    m_state = State::Recording;
}

void StepProfiler::stop() {
    m_stepRange.reset();
    m_stageRange.reset();
    m_state = State::Over;
    m_result = profiler::disableProfiler();
}

Result<PendingFile> StepProfiler::write(const std::filesystem::path& trace) {
    if (!m_result) return Error{ErrorCode::Internal, "the profiler recorded nothing"};
    std::filesystem::path plain = trace;
    plain.replace_extension();  // .json
    auto unpacked = PendingFile::create(plain);
    if (!unpacked) return unpacked;
    auto packed = PendingFile::create(trace);
    if (!packed) return packed;
    m_result->save(unpacked->path().string());
    m_result.reset();
    if (auto written = profile::gzipFile(unpacked->path(), packed->path()); !written) return written.error();
    return packed;
}

result::ProfileRecord StepProfiler::record() const {
    const int first = m_schedule.wait + m_schedule.warmup;
    return {.trace = {},
            .firstStep = first,
            .steps = std::min(m_schedule.active, m_steps - first),
            .decode = m_hasDecode};
}

}  // namespace reelgrid::pipeline
