#include "core/jobs/line_process.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "core/jobs/program_run.h"

namespace reelgrid::jobs {
namespace {

using testing::ElementsAre;

/// A process that nobody has reaped yet is gone, too.
bool isGone(const std::string& process) {
    std::string name, state;
    std::ifstream stat("/proc/" + process + "/stat");
    std::string id;
    return !(stat >> id >> name >> state) || state == "Z" || state == "X";
}

bool isSoonGone(const std::string& process) {
    for (int i = 0; i < 500 && !isGone(process); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return isGone(process);
}

/// What a shell's script wrote, and how it ended.
struct ScriptRun {
    std::vector<std::string> lines;
    std::string end = "it never ended";
};

ScriptRun runScript(const std::string& script) {
    ScriptRun run;
    std::promise<std::string> ended;
    auto end = ended.get_future();
    const auto process =
        LineProcess::start({"sh", {"-c", script}}, {[&](const std::string& line) -> Result<void> {
                                                        run.lines.push_back(line);
                                                        return {};
                                                    },
                                                    [&](std::string how) { ended.set_value(how); }});
    if (!process) return run;
    if (end.wait_for(std::chrono::seconds(20)) == std::future_status::ready) run.end = end.get();
    return run;
}

TEST(LineProcess, EndsWithItsProcessWhateverThatLeftBehind) {
    const ScriptRun run = runScript("sleep 60 & echo $!; echo last; echo words >&2; exit 3");
    EXPECT_EQ(run.end, "ended with exit code 3; it said: words");
    ASSERT_EQ(run.lines.size(), 2U);
    EXPECT_EQ(run.lines.back(), "last");
    EXPECT_TRUE(isSoonGone(run.lines.front())) << "it may hold GPU memory";
}

TEST(LineProcess, EndsThoughWhatItLeftBehindGoesOnWriting) {
    EXPECT_EQ(runScript("yes & sleep 0.1; exit 0").end, "ended with exit code 0");
}

TEST(LineProcess, EndsWithAProcessThatClosedItsErrors) {
    const ScriptRun run = runScript("exec 2>&-; sleep 60 & echo only");
    EXPECT_EQ(run.end, "ended with exit code 0");
    EXPECT_THAT(run.lines, ElementsAre("only"));
}

TEST(ProgramRun, HasAllThatAProgramPrintedBeforeItsEnd) {
    const auto output = outputOf({"sh", {"-c", "sleep 60 & seq 10001 20000"}}, 1 << 20);
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_EQ(output->size(), 60000U);
    EXPECT_TRUE(output->ends_with("\n20000\n"));
}

TEST(ProgramRun, EndsOneThatDoesNotAnswerInTime) {
    const auto output = outputOf({"sh", {"-c", "sleep 60"}}, 1 << 20, {}, std::chrono::seconds(1));
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().message, "sh was still running after 1 s");
}

}  // namespace
}  // namespace reelgrid::jobs
