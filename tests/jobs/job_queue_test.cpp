#include "core/jobs/job_queue.h"

#include <gmock/gmock.h>
#include <sys/types.h>

#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <thread>

#include "tests/jobs/queue_listener.h"
#include "tests/jobs/temporary_folder.h"

namespace reelgrid::jobs {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(JobQueue, RunsAJobAndTellsItsCourse) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string id = submit(queue, "ok");
    const Job end = listener.waitForEnd(id);
    EXPECT_EQ(end.state, JobState::Done);
    EXPECT_EQ(end.clip, "/tmp/none/a.mp4");
    EXPECT_THAT(listener.states(id), ElementsAre(JobState::Queued, JobState::Running, JobState::Done));
    const Job step = listener.waitFor(id, [](const Job& job) { return job.progress.total == 3; });
    EXPECT_GT(step.progress.etaSeconds, 0);
}

TEST(JobQueue, TakesNoPathThatTheWorkerWouldGetAsAnother) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    protocol::RenderRequest request;
    request.output = "/tmp/none\xff/a.mp4";
    const auto refused = queue.submit(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(refused.error().message, HasSubstr("--output: \"/tmp/none\xef\xbf\xbd/a.mp4\": its bytes"));
    EXPECT_TRUE(queue.jobs().empty());
}

TEST(JobQueue, KeepsTheWorkerWarm) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string first = submit(queue, "ok");
    const std::string second = submit(queue, "ok");
    listener.waitForEnd(second);
    EXPECT_EQ(listener.waitForProcess(first), listener.waitForProcess(second));
}

TEST(JobQueue, StartsNothingWhilePausedAndThenInTheNewOrder) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string running = submit(queue, "slow");
    listener.waitForProcess(running);
    queue.pause();
    EXPECT_TRUE(queue.isPaused());
    const std::string first = submit(queue, "ok");
    const std::string second = submit(queue, "ok");
    ASSERT_TRUE(queue.cancel(running));
    EXPECT_EQ(listener.waitForEnd(running).state, JobState::Cancelled);
    std::this_thread::sleep_for(100ms);
    EXPECT_THAT(listener.states(first), ElementsAre(JobState::Queued));
    ASSERT_TRUE(queue.moveTo(second, 0));
    EXPECT_THAT(queue.waiting(), ElementsAre(second, first));
    EXPECT_FALSE(queue.moveTo(running, 0));
    queue.resume();
    listener.waitForEnd(second);
    EXPECT_THAT(listener.states(first), testing::Not(testing::Contains(JobState::Done)));
    EXPECT_EQ(listener.waitForEnd(first).state, JobState::Done);
}

TEST(JobQueue, ShowsWhatTheLatentsLookLikeUntilTheClipIsThere) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string id = submit(queue, "previewed");
    const Job seen = listener.waitFor(id, [](const Job& job) { return job.preview != nullptr; });
    ASSERT_NE(seen.preview, nullptr);
    EXPECT_EQ(seen.preview->step, 1);
    EXPECT_EQ(seen.preview->rgb, (std::vector<std::uint8_t>{1, 2, 3}));
    EXPECT_EQ(listener.waitForEnd(id).preview, nullptr);
}

TEST(JobQueue, AKilledWorkerFailsItsJobAndTheNextJobRuns) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string doomed = submit(queue, "slow");
    const std::string next = submit(queue, "ok");
    const pid_t first = listener.waitForProcess(doomed);
    ASSERT_GT(first, 0);
    ::kill(first, SIGKILL);
    const Job end = listener.waitForEnd(doomed);
    EXPECT_EQ(end.state, JobState::Failed);
    EXPECT_EQ(end.error.message, "the worker was killed by signal 9 (Killed; out of memory?)");
    EXPECT_EQ(listener.waitForEnd(next).state, JobState::Done);
    EXPECT_NE(listener.waitForProcess(next), first);
}

TEST(JobQueue, ACrashSaysSignalAndLastWords) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const Job end = listener.waitForEnd(submit(queue, "crash"));
    EXPECT_EQ(end.state, JobState::Failed);
    EXPECT_THAT(end.error.message, HasSubstr("signal 11"));
    EXPECT_THAT(end.error.message, HasSubstr("device-side assert"));
}

TEST(JobQueue, PassesOnTheWorkersOwnError) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const Job end = listener.waitForEnd(submit(queue, "fail"));
    EXPECT_EQ(end.state, JobState::Failed);
    EXPECT_EQ(end.error.code, ErrorCode::BadUsage);
    EXPECT_THAT(end.error.message, HasSubstr("--width 250"));
}

TEST(JobQueue, AWorkerWhoseGpuFailedIsReplacedForTheNextJob) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string before = submit(queue, "ok");
    const std::string failing = submit(queue, "device-lost");
    const std::string next = submit(queue, "ok");
    const Job end = listener.waitForEnd(failing);
    EXPECT_EQ(end.state, JobState::Failed);
    EXPECT_EQ(end.error.code, ErrorCode::DeviceLost);
    EXPECT_EQ(end.error.message, "the GPU failed: an illegal memory access");
    EXPECT_EQ(listener.waitForEnd(next).state, JobState::Done);
    EXPECT_NE(listener.waitForProcess(next), listener.waitForProcess(before));
}

TEST(JobQueue, GarbageFailsTheJobAndTheNextRuns) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string garbage = submit(queue, "garbage");
    const std::string next = submit(queue, "ok");
    EXPECT_THAT(listener.waitForEnd(garbage).error.message, HasSubstr("Loading checkpoint shards"));
    EXPECT_EQ(listener.waitForEnd(next).state, JobState::Done);
}

TEST(JobQueue, CancelsARunningJobWithoutLosingTheWorker) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string id = submit(queue, "slow");
    const pid_t worker = listener.waitForProcess(id);
    ASSERT_TRUE(queue.cancel(id));
    EXPECT_EQ(listener.waitForEnd(id).state, JobState::Cancelled);
    const std::string next = submit(queue, "ok");
    EXPECT_EQ(listener.waitForProcess(next), worker);
}

TEST(JobQueue, CancelsAWaitingJobThatThenNeverRuns) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string running = submit(queue, "slow");
    const std::string waiting = submit(queue, "ok");
    ASSERT_TRUE(queue.cancel(waiting));
    EXPECT_EQ(listener.waitForEnd(waiting).state, JobState::Cancelled);
    ASSERT_TRUE(queue.cancel(running));
    listener.waitForEnd(running);
    queue.waitUntilIdle();
    EXPECT_THAT(listener.states(waiting), ElementsAre(JobState::Queued, JobState::Cancelled));
}

TEST(JobQueue, KillsAWorkerThatIgnoresCancellation) {
    JobQueueOptions options = fakeWorker();
    options.cancelTimeout = 100ms;
    Listener listener;
    JobQueue queue(options, listener.callback());
    const std::string id = submit(queue, "stubborn");
    const std::string next = submit(queue, "ok");
    const pid_t worker = listener.waitForProcess(id);
    ASSERT_TRUE(queue.cancel(id));
    EXPECT_EQ(listener.waitForEnd(id).state, JobState::Cancelled);
    EXPECT_EQ(listener.waitForEnd(next).state, JobState::Done);
    EXPECT_NE(listener.waitForProcess(next), worker);
}

TEST(JobQueue, EndsAJobThatTakesLongerThanItMayAndRunsTheNext) {
    JobQueueOptions options = fakeWorker();
    options.jobTimeout = 300ms;
    Listener listener;
    JobQueue queue(options, listener.callback());
    const std::string endless = submit(queue, "stubborn");
    const std::string next = submit(queue, "ok");
    const Job end = listener.waitForEnd(endless);
    EXPECT_EQ(end.state, JobState::Failed);
    EXPECT_THAT(end.error.message,
                HasSubstr("took more than 0.3 seconds (--job-timeout) and was stopped; the "
                          "worker was killed by signal 12"));
    EXPECT_EQ(listener.waitForEnd(next).state, JobState::Done);
    EXPECT_NE(listener.waitForProcess(endless), listener.waitForProcess(next));
}

TEST(JobQueue, ANewTimeoutIsForJobsThatBeginAfterIt) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    queue.setJobTimeout(200ms);
    EXPECT_THAT(listener.waitForEnd(submit(queue, "stubborn")).error.message,
                HasSubstr("took more than 0.2 seconds"));
    queue.setJobTimeout(std::nullopt);
    EXPECT_EQ(listener.waitForEnd(submit(queue, "ok")).state, JobState::Done);
}

TEST(JobQueue, NewArgumentsAreForANewWorker) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string first = submit(queue, "ok");
    listener.waitForEnd(first);
    queue.setWorkerArguments({"older"});
    const std::string refused = submit(queue, "ok");
    EXPECT_THAT(listener.waitForEnd(refused).error.message, HasSubstr("version"));
    queue.setWorkerArguments({"worker"});
    const std::string again = submit(queue, "ok");
    EXPECT_EQ(listener.waitForEnd(again).state, JobState::Done);
    EXPECT_NE(listener.waitForProcess(first), listener.waitForProcess(again));
}

TEST(JobQueue, RetriesAFailedJobUnderItsId) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string id = submit(queue, "fail");
    listener.waitForEnd(id);
    ASSERT_TRUE(queue.retry(id, Begin::AtStart));
    const Job again =
        listener.waitFor(id, [](const Job& job) { return job.attempt == 2 && isFinished(job.state); });
    EXPECT_EQ(again.state, JobState::Failed);
    EXPECT_FALSE(queue.retry("job-99", Begin::AtStart));
}

TEST(JobQueue, SaysWhichStepsAnEndedJobKept) {
    const TemporaryFolder folder;
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string id = submit(queue, "keeps-steps", folder.path() / "clip.mp4");
    const Job ended = listener.waitForEnd(id);
    EXPECT_EQ(ended.state, JobState::Failed);
    EXPECT_EQ(ended.stepsKept, 5) << "of the state itself: the process died before its note said so";
    EXPECT_EQ(ended.steps, 20);
    EXPECT_TRUE(canResume(ended));
    for (const char* how : {"exit", "keeps-damaged-steps"}) {
        const Job none = listener.waitForEnd(submit(queue, how, folder.path() / "other.mp4"));
        EXPECT_EQ(none.stepsKept, 0) << how;
        EXPECT_FALSE(canResume(none)) << how;
    }
}

/// Answers of any thread, in their order.
class ForecastAnswers {
  public:
    JobQueue::ForecastTold told() {
        return [this](const Result<protocol::RenderForecast>& forecast) {
            const std::lock_guard lock(m_mutex);
            m_told.push_back(forecast);
            m_changed.notify_all();
        };
    }
    Result<protocol::RenderForecast> waitFor(std::size_t count) {
        std::unique_lock lock(m_mutex);
        if (!m_changed.wait_for(lock, kPatience, [&] { return m_told.size() >= count; }))
            return Error{ErrorCode::Internal, "no answer came"};
        return m_told[count - 1];
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<Result<protocol::RenderForecast>> m_told;
};

protocol::RenderRequest promptOf(const std::string& prompt) {
    protocol::RenderRequest request;
    request.prompt = prompt;
    return request;
}

TEST(JobQueue, ForetellsWithoutAJobAndBesideOneInTheSameWorker) {
    Listener listener;
    ForecastAnswers forecasts;
    JobQueue queue(fakeWorker(), listener.callback());
    queue.forecast(promptOf("ok"), forecasts.told());
    const auto idle = forecasts.waitFor(1);
    ASSERT_TRUE(idle) << idle.error().message;
    EXPECT_THAT(idle->ways, ElementsAre("--dtype bf16"));
    EXPECT_TRUE(queue.jobs().empty());
    const std::string id = submit(queue, "slow");
    EXPECT_EQ(idle->peakBytes, std::uint64_t(listener.waitForProcess(id)));
    queue.forecast(promptOf("ok"), forecasts.told());
    EXPECT_EQ(forecasts.waitFor(2)->peakBytes, idle->peakBytes);
    queue.forecast(promptOf("fail"), forecasts.told());
    EXPECT_THAT(forecasts.waitFor(3).error().message, HasSubstr("--width 250"));
    ASSERT_TRUE(queue.cancel(id));
    EXPECT_EQ(listener.waitForEnd(id).state, JobState::Cancelled);
}

TEST(JobQueue, AForecastThatKillsTheWorkerIsAnErrorAndTheNextOneIsNot) {
    ForecastAnswers forecasts;
    JobQueue queue(fakeWorker(), {});
    queue.forecast(promptOf("crash"), forecasts.told());
    EXPECT_THAT(forecasts.waitFor(1).error().message, HasSubstr("exit code 3"));
    queue.forecast(promptOf("ok"), forecasts.told());
    EXPECT_TRUE(forecasts.waitFor(2));
    JobQueue broken(fakeWorker("dies"), {});
    broken.forecast(promptOf("ok"), forecasts.told());
    EXPECT_THAT(forecasts.waitFor(3).error().message, HasSubstr("libtorch_cpu.so"));
}

TEST(JobQueue, ReplacesAWarmWorkerThatDiedBetweenJobs) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const std::string first = submit(queue, "ok");
    listener.waitForEnd(first);
    ::kill(listener.waitForProcess(first), SIGKILL);
    EXPECT_EQ(listener.waitForEnd(submit(queue, "ok")).state, JobState::Done);
}

TEST(JobQueue, RemovesWhatAKilledWorkerLeftHalfWritten) {
    const TemporaryFolder folder;
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    listener.waitForEnd(submit(queue, "half-written", folder.path() / "clip.mp4"));
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(JobQueue, AWorkerThatCannotStartFailsEachJobClearly) {
    Listener listener;
    JobQueue queue(fakeWorker("dies"), listener.callback());
    for (int i = 0; i < 2; ++i) {
        const Job end = listener.waitForEnd(submit(queue, "ok"));
        EXPECT_EQ(end.state, JobState::Failed);
        EXPECT_THAT(end.error.message, HasSubstr("cannot open shared object file"));
    }
}

TEST(JobQueue, AWorkerOfAnotherVersionIsRefused) {
    Listener listener;
    JobQueue queue(fakeWorker("older"), listener.callback());
    EXPECT_THAT(listener.waitForEnd(submit(queue, "ok")).error.message, HasSubstr("version 0"));
}

TEST(JobQueue, AWorkerThatNeverGetsReadyTimesOut) {
    JobQueueOptions options = fakeWorker("silent");
    options.startTimeout = 100ms;
    Listener listener;
    JobQueue queue(options, listener.callback());
    EXPECT_THAT(listener.waitForEnd(submit(queue, "ok")).error.message, HasSubstr("did not start"));
}

TEST(JobQueue, RefusesMoreThanItsCapacity) {
    JobQueueOptions options = fakeWorker();
    options.capacity = 1;
    Listener listener;
    JobQueue queue(options, listener.callback());
    listener.waitForProcess(submit(queue, "slow"));
    submit(queue, "ok");
    EXPECT_FALSE(queue.submit({}));
}

TEST(JobQueue, TheCallbackMayCallTheQueue) {
    Listener listener;
    JobQueue* self = nullptr;
    bool submitted = false;
    const auto inner = listener.callback();
    JobQueue queue(fakeWorker(), [&](const Job& job) {
        if (job.state == JobState::Done && !submitted) {
            submitted = true;
            EXPECT_EQ(self->jobs().size(), 1u);
            submit(*self, "ok");
        }
        inner(job);
    });
    self = &queue;
    submit(queue, "ok");
    EXPECT_EQ(listener.waitForEnd("job-2").state, JobState::Done);
}

TEST(JobQueue, ShutsDownAtOnceWhileAJobRuns) {
    Listener listener;
    pid_t worker = 0;
    const auto begin = std::chrono::steady_clock::now();
    {
        JobQueue queue(fakeWorker(), listener.callback());
        worker = listener.waitForProcess(submit(queue, "stubborn"));
        submit(queue, "ok");
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
    EXPECT_EQ(::kill(worker, 0), -1) << "the worker outlived its queue";
}

}  // namespace
}  // namespace reelgrid::jobs
