#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "core/protocol/worker_message.h"
#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using namespace protocol;
using testing::HasSubstr;

/// Everything that the worker says to these lines; fails on a line that isn't the protocol.
std::vector<WorkerEvent> eventsFor(const std::string& input, int expectedExitCode = 0) {
    const ProgramRun run = runProgram({"worker"}, input);
    EXPECT_EQ(run.exitCode, expectedExitCode) << run.errors;
    std::vector<WorkerEvent> events;
    std::istringstream lines(run.output);
    for (std::string line; std::getline(lines, line);) {
        auto event = eventFromLine(line);
        if (event)
            events.push_back(*std::move(event));
        else
            ADD_FAILURE() << line << ": " << event.error().message;
    }
    return events;
}

TEST(Worker, IsReadyAndQuits) {
    const auto events = eventsFor(toLine(WorkerCommand(QuitCommand{})) + "\n");
    ASSERT_EQ(events.size(), 1u);
    EXPECT_TRUE(std::holds_alternative<WorkerReady>(events[0]));
}

TEST(Worker, EndsWithItsInput) {
    EXPECT_EQ(eventsFor("").size(), 1u);
}

TEST(Worker, AnswersACommandThatItCannotUnderstand) {
    const auto events = eventsFor(
        "nonsense\n"
        R"({"v":1,"type":"render","id":"a","request":{"height":"tall"}})"
        "\n"
        R"({"v":2,"type":"render","id":"b","request":{}})"
        "\n");
    ASSERT_EQ(events.size(), 3u);
    const auto* first = std::get_if<JobFailed>(&events[1]);
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(first->id, "a");
    EXPECT_EQ(first->error.code, ErrorCode::BadUsage);
    EXPECT_THAT(first->error.message, HasSubstr("height \"tall\""));
    const auto* second = std::get_if<JobFailed>(&events[2]);
    ASSERT_NE(second, nullptr);
    EXPECT_EQ(second->id, "b");
    EXPECT_THAT(second->error.message, HasSubstr("version 2"));
}

TEST(Worker, EndsOnALineWithoutEnd) {
    const ProgramRun run = runProgram({"worker"}, std::string(std::size_t{3} << 20, 'x'));
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, HasSubstr("more than 1048576 bytes"));
}

TEST(Worker, EndsByOneLineOnASignal) {
    RunningProgram worker({"worker"});
    EXPECT_THAT(worker.readLine(), HasSubstr("ready"));
    worker.signal(SIGTERM);
    const ProgramRun run = worker.finish(30);
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_EQ(run.errors, "reelgrid-cli: worker: interrupted\n");
}

/// A line of /proc/PID/status.
std::string statusOf(int process, const std::string& name) {
    std::ifstream status("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(name + ":\t")) return line.substr(name.size() + 2);
    return "";
}

TEST(Worker, HasNoNetworkWhereDoctorSaysSo) {
    const auto doctor = onlyDocument(runProgram({"doctor", "--json"}).output);
    if (doctor.at("worker").at("network")) GTEST_SKIP() << doctor.at("worker").at("why").get<std::string>();
    RunningProgram worker({"worker"});
    EXPECT_THAT(worker.readLine(), HasSubstr("ready"));
    EXPECT_EQ(statusOf(worker.process(), "NoNewPrivs"), "1");
    EXPECT_EQ(statusOf(worker.process(), "Seccomp"), "2") << "a filter";
    worker.write(toLine(WorkerCommand(QuitCommand{})) + "\n");
    EXPECT_EQ(worker.finish(30).exitCode, 0);
}

TEST(Worker, EndsWithItsInputWhenNobodyReadsItsOutput) {
    RunningProgram worker({"worker"});
    EXPECT_THAT(worker.readLine(), HasSubstr("ready"));
    // Each is answered by a line of its own: more than a pipe holds.
    std::string commands;
    for (int i = 0; i < 2000; ++i)
        commands += R"({"v":1,"type":"dance","id":"a"})"
                    "\n";
    std::thread parent([&] {
        worker.write(commands);
        worker.closeInput();
    });
    const ProgramRun run = worker.finish(30, RunningProgram::OutputIs::Unread);
    parent.join();
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.errors, HasSubstr("nobody reads its stdout any more"));
}

}  // namespace
}  // namespace reelgrid::cli
