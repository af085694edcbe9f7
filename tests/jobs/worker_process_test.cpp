#include "core/jobs/worker_process.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <future>

namespace reelgrid::jobs {
namespace {

using testing::HasSubstr;

const WorkerCommandLine kFake{REELGRID_BINARY_DIR "/bin/fake_worker", {"worker"}};

/// Starts a worker and waits for its end.
class WorkerProcessTest : public testing::Test {
  protected:
    std::unique_ptr<WorkerProcess> start(const WorkerCommandLine& command) {
        auto started = WorkerProcess::start(command, {[](const protocol::WorkerEvent&) {},
                                                      [this](std::string how) { m_exit.set_value(how); }});
        if (!started) {
            ADD_FAILURE() << started.error().message;
            return nullptr;
        }
        return *std::move(started);
    }
    std::string waitForExit() {
        auto exit = m_exit.get_future();
        if (exit.wait_for(std::chrono::seconds(20)) != std::future_status::ready) return "it never ended";
        return exit.get();
    }
    static Result<void> render(WorkerProcess& worker, const std::string& prompt) {
        protocol::RenderCommand command{"a", {}};
        command.request.prompt = prompt;
        return worker.send(command);
    }

  private:
    std::promise<std::string> m_exit;
};

TEST_F(WorkerProcessTest, SaysWhichSignalKilledIt) {
    const auto worker = start(kFake);
    ASSERT_TRUE(worker);
    ::kill(worker->pid(), SIGKILL);
    EXPECT_EQ(waitForExit(), "the worker was killed by signal 9 (Killed; out of memory?)");
}

TEST_F(WorkerProcessTest, RepeatsItsLastWords) {
    const auto worker = start({kFake.program, {"dies"}});
    ASSERT_TRUE(worker);
    const std::string how = waitForExit();
    EXPECT_THAT(how, HasSubstr("exit code 127"));
    EXPECT_THAT(how, HasSubstr("cannot open shared object file"));
}

TEST_F(WorkerProcessTest, StopsAWorkerThatPrintsSomethingElse) {
    const auto worker = start(kFake);
    ASSERT_TRUE(worker);
    ASSERT_TRUE(render(*worker, "garbage"));
    EXPECT_THAT(waitForExit(), HasSubstr("Loading checkpoint shards"));
}

TEST_F(WorkerProcessTest, StopsAWorkerWhoseLineNeverEnds) {
    const auto worker = start(kFake);
    ASSERT_TRUE(worker);
    ASSERT_TRUE(render(*worker, "endless"));
    EXPECT_THAT(waitForExit(), HasSubstr("more than 1048576 bytes"));
}

TEST_F(WorkerProcessTest, SendingToADeadWorkerFailsWithoutASignal) {
    const auto worker = start(kFake);
    ASSERT_TRUE(worker);
    worker->end();
    waitForExit();
    EXPECT_FALSE(render(*worker, "ok"));
}

TEST_F(WorkerProcessTest, SendingToAWorkerThatNeverReadsGivesUp) {
    const auto worker = start({kFake.program, {"silent"}});
    ASSERT_TRUE(worker);
    Result<void> sent;
    const std::string prompt(60000, 'a');
    for (int i = 0; i < 200 && sent; ++i) sent = render(*worker, prompt);
    ASSERT_FALSE(sent);
    EXPECT_THAT(sent.error().message, HasSubstr("takes no commands"));
}

TEST(WorkerProcess, NamesAProgramThatCannotStart) {
    const auto started = WorkerProcess::start({"/nowhere/worker", {}}, {});
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error().message, HasSubstr("/nowhere/worker"));
}

TEST(FindWorkerProgram, TakesTheChosenOne) {
    setenv("REELGRID_WORKER", kFake.program.c_str(), 1);
    const auto found = findWorkerProgram();
    unsetenv("REELGRID_WORKER");
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found, kFake.program);
    setenv("REELGRID_WORKER", "/nowhere/worker", 1);
    const auto missing = findWorkerProgram();
    unsetenv("REELGRID_WORKER");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/worker"));
}

}  // namespace
}  // namespace reelgrid::jobs
