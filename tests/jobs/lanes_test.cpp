#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "core/jobs/local_transport.h"
#include "tests/jobs/queue_listener.h"
#include "tests/jobs/temporary_folder.h"

namespace reelgrid::jobs {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

JobQueueOptions twoLanes(const std::string& first = "", const std::string& second = "") {
    JobQueueOptions options = fakeWorker();
    options.lanes = {{.device = first}, {.device = second}};
    return options;
}

std::string submitOn(JobQueue& queue, const std::string& device, const std::string& prompt) {
    protocol::RenderRequest request;
    request.prompt = prompt;
    request.output = "/tmp/none/a.mp4";
    if (!device.empty()) request.device = device;
    const auto id = queue.submit(request);
    EXPECT_TRUE(id) << id.error().message;
    return id ? *id : std::string();
}

JobState stateOf(const JobQueue& queue, const std::string& id) {
    for (const Job& job : queue.jobs())
        if (job.id == id) return job.state;
    return JobState::Failed;
}

TEST(Lanes, RunOneJobEachAtTheSameTime) {
    Listener listener;
    JobQueue queue(twoLanes(), listener.callback());
    const std::string first = submit(queue, "slow"), second = submit(queue, "slow");
    const std::string third = submit(queue, "ok");
    const pid_t one = listener.waitForProcess(first), other = listener.waitForProcess(second);
    EXPECT_GT(one, 0);
    EXPECT_NE(one, other);
    EXPECT_EQ(stateOf(queue, first), JobState::Running);
    EXPECT_EQ(stateOf(queue, second), JobState::Running);
    EXPECT_THAT(queue.waiting(), ElementsAre(third));
    ASSERT_TRUE(queue.cancel(second));
    EXPECT_EQ(listener.waitForEnd(second).state, JobState::Cancelled);
    EXPECT_EQ(listener.waitForEnd(third).state, JobState::Done);
    EXPECT_EQ(listener.waitForProcess(third), other) << "the lane that was free, its worker still warm";
    EXPECT_EQ(stateOf(queue, first), JobState::Running);
    ASSERT_TRUE(queue.cancel(first));
    queue.waitUntilIdle();
}

TEST(Lanes, ACrashInOneLeavesTheOther) {
    Listener listener;
    JobQueue queue(twoLanes(), listener.callback());
    const std::string survivor = submit(queue, "slow"), doomed = submit(queue, "slow");
    const pid_t worker = listener.waitForProcess(survivor);
    ::kill(listener.waitForProcess(doomed), SIGKILL);
    EXPECT_EQ(listener.waitForEnd(doomed).state, JobState::Failed);
    EXPECT_EQ(listener.waitForEnd(submit(queue, "ok")).state, JobState::Done) << "a new worker in its lane";
    EXPECT_EQ(stateOf(queue, survivor), JobState::Running);
    EXPECT_EQ(::kill(worker, 0), 0);
    ASSERT_TRUE(queue.cancel(survivor));
    EXPECT_EQ(listener.waitForEnd(survivor).state, JobState::Cancelled);
}

TEST(Lanes, HaveTheirOwnTimeLimits) {
    JobQueueOptions options = twoLanes();
    options.jobTimeout = 300ms;
    Listener listener;
    JobQueue queue(options, listener.callback());
    const std::string first = submit(queue, "stubborn");
    std::this_thread::sleep_for(100ms);
    const std::string second = submit(queue, "stubborn");
    for (const std::string& id : {first, second})
        EXPECT_THAT(listener.waitForEnd(id).error.message, HasSubstr("took more than 0.3 seconds"));
}

TEST(Lanes, BoundToADeviceRenderThere) {
    Listener listener;
    JobQueue queue(twoLanes("cuda:0", "cuda:1"), listener.callback());
    EXPECT_EQ(listener.waitForEnd(submitOn(queue, "cuda:1", "on-device")).clip, "cuda:1");
    EXPECT_EQ(listener.waitForEnd(submitOn(queue, "", "on-device")).clip, "cuda:0") << "the first free one";
    EXPECT_EQ(listener.waitForEnd(submitOn(queue, "cuda", "on-device")).clip, "cuda:0")
        << "another name of it";
    const auto nowhere = queue.submit([] {
        protocol::RenderRequest request;
        request.device = "cpu";
        return request;
    }());
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().code, ErrorCode::Unsupported);
    EXPECT_EQ(nowhere.error().message, "--device cpu: no lane of this queue renders there");
}

TEST(Lanes, AJobThatWaitsForItsDeviceHoldsUpNoOther) {
    Listener listener;
    JobQueue queue(twoLanes("cuda:0", "cuda:1"), listener.callback());
    const std::string running = submitOn(queue, "cuda:1", "slow");
    listener.waitForProcess(running);
    const std::string waiting = submitOn(queue, "cuda:1", "ok"), later = submitOn(queue, "cuda:0", "ok");
    EXPECT_EQ(listener.waitForEnd(later).state, JobState::Done);
    EXPECT_EQ(stateOf(queue, waiting), JobState::Queued);
    ASSERT_TRUE(queue.cancel(running));
    EXPECT_EQ(listener.waitForEnd(waiting).state, JobState::Done);
}

TEST(Lanes, WithoutADeviceTakeARequestAsItIs) {
    Listener listener;
    JobQueue queue(twoLanes(), listener.callback());
    EXPECT_EQ(listener.waitForEnd(submitOn(queue, "", "on-device")).clip, "none");
    EXPECT_EQ(listener.waitForEnd(submitOn(queue, "cuda:7", "on-device")).clip, "cuda:7");
}

TEST(Lanes, EveryOneGetsNewArguments) {
    Listener listener;
    JobQueue queue(twoLanes(), listener.callback());
    const std::string first = submit(queue, "slow"), second = submit(queue, "slow");
    for (const std::string& id : {first, second}) {
        listener.waitForProcess(id);
        ASSERT_TRUE(queue.cancel(id));
    }
    queue.waitUntilIdle();
    queue.setWorkerArguments({"older"});
    for (const std::string& id : {submit(queue, "ok"), submit(queue, "ok")})
        EXPECT_THAT(listener.waitForEnd(id).error.message, HasSubstr("version 0"));
}

protocol::RenderRequest sharedBy(int ulysses, int cfg, const std::string& prompt) {
    protocol::RenderRequest request;
    request.prompt = prompt;
    request.output = "/tmp/none/a.mp4";
    request.ulyssesDegree = ulysses;
    request.cfgParallel = cfg;
    return request;
}

TEST(Lanes, StartAsManyRanksAsAJobIsSharedBy) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    const auto wordsOf = [&](const protocol::RenderRequest& request) {
        return listener.waitForEnd(*queue.submit(request)).clip;
    };
    EXPECT_EQ(wordsOf(sharedBy(3, 2, "words")), "--nproc 6");
    EXPECT_EQ(wordsOf(sharedBy(1, 1, "words")), "none");
    EXPECT_EQ(wordsOf(sharedBy(2, 1, "words")), "--nproc 2");
    // The same number keeps its warm worker, with the model that it has loaded.
    const std::string first = *queue.submit(sharedBy(2, 1, "ok"));
    const pid_t worker = listener.waitForProcess(first);
    listener.waitForEnd(first);
    const std::string second = *queue.submit(sharedBy(1, 2, "ok"));
    EXPECT_EQ(listener.waitForProcess(second), worker);
    listener.waitForEnd(second);
    const std::string third = *queue.submit(sharedBy(1, 1, "ok"));
    EXPECT_NE(listener.waitForProcess(third), worker);
}

TEST(Lanes, ARankThatDiesFailsItsJobAlone) {
    Listener listener;
    JobQueue queue(fakeWorker(), listener.callback());
    EXPECT_THAT(listener.waitForEnd(*queue.submit(sharedBy(2, 1, "device-lost"))).error.message,
                HasSubstr("the GPU failed"));
    EXPECT_EQ(listener.waitForEnd(*queue.submit(sharedBy(2, 1, "words"))).clip, "--nproc 2");
}

TEST(Lanes, OfOneGpuRenderOnNoRanks) {
    Listener listener;
    JobQueue queue(twoLanes("cuda:0", "cuda:1"), listener.callback());
    const auto refused = queue.submit(sharedBy(2, 1, "ok"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(
        refused.error().message,
        "cuda:0: 2 ranks share the render and take a GPU each, while renders are bound to this one; lanes "
        "without a GPU's name were needed; cuda:1: 2 ranks share the render and take a GPU each, while "
        "renders are bound to this one; lanes without a GPU's name were needed");
    queue.setLanes({{.device = "cpu"}});
    EXPECT_EQ(listener.waitForEnd(*queue.submit(sharedBy(2, 1, "words"))).clip, "--nproc 2");
    const auto many = queue.submit(sharedBy(1000, 2, "ok"));
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().message, "2000 ranks share the render: at most 1024 were needed");
}

TEST(Lanes, APauseIsForAll) {
    Listener listener;
    JobQueue queue(twoLanes(), listener.callback());
    const std::string running = submit(queue, "slow");
    listener.waitForProcess(running);
    queue.pause();
    const std::string waiting = submit(queue, "ok");
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(stateOf(queue, waiting), JobState::Queued) << "though a lane is free";
    queue.resume();
    EXPECT_EQ(listener.waitForEnd(waiting).state, JobState::Done);
    ASSERT_TRUE(queue.cancel(running));
    queue.waitUntilIdle();
}

TEST(Lanes, EndTogetherAtOnce) {
    Listener listener;
    std::vector<pid_t> workers;
    const auto begin = std::chrono::steady_clock::now();
    {
        JobQueue queue(twoLanes(), listener.callback());
        const std::string first = submit(queue, "stubborn"), second = submit(queue, "stubborn");
        workers = {listener.waitForProcess(first), listener.waitForProcess(second)};
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
    for (const pid_t worker : workers) EXPECT_EQ(::kill(worker, 0), -1) << "it outlived its queue";
}

/// A place whose workers can't be reached until it is told that they can.
class FarTransport : public WorkerTransport {
  public:
    Result<std::unique_ptr<RunningWorker>> start(const std::vector<std::string>& arguments,
                                                 WorkerListener listener) override {
        ++starts;
        if (!isReachable) return Error{ErrorCode::NotFound, "host far: no route"};
        return m_local.start(arguments, std::move(listener));
    }
    KeptSteps keptSteps(const std::filesystem::path&) override { return {3, 7}; }

    std::atomic<int> starts = 0;
    std::atomic<bool> isReachable = false;

  private:
    LocalTransport m_local{fakeWorker().worker.program};
};

TEST(Lanes, ReachTheirWorkersThroughTheirTransport) {
    const auto far = std::make_shared<FarTransport>();
    JobQueueOptions options = fakeWorker();
    options.lanes = {{.device = "cuda:0", .transport = far}, {.device = "cpu"}};
    Listener listener;
    JobQueue queue(options, listener.callback());
    const Job lost = listener.waitForEnd(submitOn(queue, "cuda:0", "ok"));
    EXPECT_EQ(lost.state, JobState::Failed);
    EXPECT_EQ(lost.error.message, "host far: no route");
    EXPECT_EQ(lost.stepsKept, 3) << "what is on the disk there";
    EXPECT_EQ(lost.steps, 7);
    EXPECT_EQ(listener.waitForEnd(submitOn(queue, "cpu", "ok")).state, JobState::Done);
    EXPECT_EQ(far->starts, 1);
    far->isReachable = true;
    EXPECT_EQ(listener.waitForEnd(submitOn(queue, "cuda:0", "ok")).state, JobState::Done);
}

/// Another machine, whose workers are the fake one.
class OtherMachine : public WorkerTransport {
  public:
    explicit OtherMachine(std::string name) : m_name(std::move(name)) {}
    Result<std::unique_ptr<RunningWorker>> start(const std::vector<std::string>& arguments,
                                                 WorkerListener listener) override {
        ++starts;
        if (!isReachable) return Error{ErrorCode::Io, "no route"};
        return m_local.start(arguments, std::move(listener));
    }
    KeptSteps keptSteps(const std::filesystem::path&) override { return {}; }
    [[nodiscard]] std::string machine() const override { return m_name; }
    [[nodiscard]] std::optional<std::string> obstacleTo(
        const protocol::RenderRequest& request) const override {
        if (request.model == "demo") return std::nullopt;
        return "it lacks the model " + request.model;
    }
    [[nodiscard]] WorkerPatience patience() const override { return {.idle = 200ms}; }

    std::atomic<int> starts = 0;
    std::atomic<bool> isReachable = true;

  private:
    const std::string m_name;
    LocalTransport m_local{fakeWorker().worker.program};
};

JobQueueOptions onMachines(const std::vector<std::shared_ptr<OtherMachine>>& machines) {
    JobQueueOptions options = fakeWorker();
    options.lanes.clear();
    for (const auto& machine : machines) options.lanes.push_back({.transport = machine});
    return options;
}

TEST(OtherMachines, GiveAJobBackOnceWhenTheyVanish) {
    const auto one = std::make_shared<OtherMachine>("one");
    Listener listener;
    JobQueue queue(onMachines({one}), listener.callback());
    const std::string id = submit(queue, "crash");
    const Job failed = listener.waitForEnd(id);
    EXPECT_EQ(failed.state, JobState::Failed);
    EXPECT_THAT(failed.error.message, HasSubstr("one: the worker was killed by signal 11"));
    EXPECT_THAT(failed.givenBack, HasSubstr("one: the worker was killed by signal 11"));
    EXPECT_THAT(listener.states(id), ElementsAre(JobState::Queued, JobState::Running, JobState::Queued,
                                                 JobState::Running, JobState::Failed));
    EXPECT_EQ(one->starts, 2);
    ASSERT_TRUE(queue.retry(id, Begin::AtStart));
    const auto endedAgain = [](const Job& job) { return job.attempt == 2 && isFinished(job.state); };
    EXPECT_EQ(listener.waitFor(id, endedAgain).state, JobState::Failed);
    EXPECT_EQ(one->starts, 4) << "tried anew by a person: given back once more";
}

TEST(OtherMachines, ThatCanNotBeReachedLeaveJobsToOthers) {
    const auto gone = std::make_shared<OtherMachine>("gone"), there = std::make_shared<OtherMachine>("there");
    gone->isReachable = false;
    Listener listener;
    JobQueue queue(onMachines({gone, there}), listener.callback());
    for (const std::string& id : {submit(queue, "ok"), submit(queue, "ok")}) {
        const Job done = listener.waitForEnd(id);
        EXPECT_EQ(done.state, JobState::Done);
        EXPECT_EQ(done.machine, "there");
    }
    there->isReachable = false;
    std::this_thread::sleep_for(600ms);  // without a job its worker ends
    const Job lost = listener.waitForEnd(submit(queue, "ok"));
    EXPECT_EQ(lost.state, JobState::Failed);
    EXPECT_EQ(lost.error.message, "gone: no route; there: no route");
    gone->isReachable = true;
    EXPECT_EQ(listener.waitForEnd(submit(queue, "ok")).machine, "gone") << "a new job asks again";
}

TEST(OtherMachines, TakeWhatTheyCanRenderAlone) {
    const auto one = std::make_shared<OtherMachine>("one");
    Listener listener;
    JobQueue queue(onMachines({one}), listener.callback());
    protocol::RenderRequest request;
    request.prompt = "ok";
    request.output = "/tmp/none/a.mp4";
    request.model = "big";
    const auto refused = queue.submit(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "one: it lacks the model big");
    queue.setLanes({{.transport = one}, LaneOptions{}});
    const auto id = queue.submit(request);
    ASSERT_TRUE(id) << id.error().message;
    const Job done = listener.waitForEnd(*id);
    EXPECT_EQ(done.state, JobState::Done);
    EXPECT_EQ(done.machine, "") << "this one";
    EXPECT_EQ(one->starts, 0);
    // Ranks are this machine's, too.
    protocol::RenderRequest shared = sharedBy(2, 1, "words");
    shared.model = "demo";
    const auto here = queue.submit(shared);
    ASSERT_TRUE(here) << here.error().message;
    EXPECT_EQ(listener.waitForEnd(*here).clip, "--nproc 2");
    queue.setLanes({{.transport = one}});
    const auto elsewhere = queue.submit(shared);
    ASSERT_FALSE(elsewhere);
    EXPECT_EQ(elsewhere.error().message,
              "one: 2 ranks share the render, which only this machine starts; one rank was needed");
    // A list without it ends its lane once its job has ended.
    const std::string running = submit(queue, "slow");
    listener.waitForProcess(running);
    queue.setLanes({LaneOptions{}});
    EXPECT_EQ(stateOf(queue, running), JobState::Running);
    ASSERT_TRUE(queue.cancel(running));
    EXPECT_EQ(listener.waitForEnd(running).state, JobState::Cancelled);
    EXPECT_EQ(listener.waitForEnd(submit(queue, "ok")).machine, "");
}

}  // namespace
}  // namespace reelgrid::jobs
