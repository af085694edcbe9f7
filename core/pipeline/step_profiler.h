#pragma once

#include <ATen/record_function.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "core/base/pending_file.h"
#include "core/denoising/stage_clock.h"
#include "core/execution/execution.h"
#include "core/result/manifest.h"

namespace reelgrid::pipeline {

/// Records some denoising steps of a render with libtorch's own profiler, as torch.profiler.schedule counts
/// them: `wait` steps go by, during `warmup` steps it is ready, `active` steps are recorded. The decode
/// counts as one step after the last; what lies between is recorded with it. Lives on the thread that
/// renders.
class StepProfiler final : public denoising::StageWatcher {
  public:
    struct Schedule {
        int wait = 0, warmup = 0, active = 1;
    };
    StepProfiler(const Schedule& schedule, const execution::Execution& execution);
    StepProfiler(const StepProfiler&) = delete;
    StepProfiler& operator=(const StepProfiler&) = delete;
    /// Ends a recording that is under way; nothing is kept of it.
    ~StepProfiler() override;

    [[nodiscard]] bool actsAt(const denoising::StageMoment& moment) const override;
    void at(const denoising::StageMoment& moment) override;

    /// Writes what was recorded beside `trace` as gzipped Chrome trace; the caller commits it. Once. Fails
    /// with Io, or Internal when nothing was recorded.
    Result<PendingFile> write(const std::filesystem::path& trace);
    /// What the manifest says of the recording.
    [[nodiscard]] result::ProfileRecord record() const;

  private:
    /// How many steps have begun and ended by then: the schedule's clock. Nothing where that is no moment of
    /// it.
    [[nodiscard]] std::optional<int> stepOf(const denoising::StageMoment& moment) const;
    void prepare();
    void start();
    void stop();
    void nameRanges(const denoising::StageMoment& moment);

    using Activities = std::set<torch::profiler::impl::ActivityType>;
    [[nodiscard]] static torch::profiler::impl::ProfilerConfig config();

    Schedule m_schedule;
    Activities m_activities;
    enum class State { Waiting, Ready, Recording, Over } m_state = State::Waiting;
    int m_steps = 0;           ///< of the render, once it denoises
    bool m_decoding = false;   ///< the stage that runs is the decode
    bool m_hasDecode = false;  ///< and it is in the trace
    std::optional<at::RecordFunction> m_stageRange, m_stepRange;
    std::unique_ptr<torch::autograd::profiler::ProfilerResult> m_result;
};

}  // namespace reelgrid::pipeline
