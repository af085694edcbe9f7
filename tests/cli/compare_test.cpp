#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using testing::HasSubstr;

const std::map<std::string, std::string> kFakeWorker{
    {"REELGRID_WORKER", REELGRID_BINARY_DIR "/bin/fake_worker"}};

TEST(Compare, SaysHowTheWorkerDiedForEachBackend) {
    const TestFolder folder;
    const ProgramRun run =
        runProgram({"compare", "--prompt", "crash", "--types", "sdpa,fav2", "--output-dir", folder.path()},
                   "", kFakeWorker);
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.output, testing::IsEmpty());
    EXPECT_THAT(run.errors, HasSubstr("sdpa: the worker was killed by signal 11"));
    EXPECT_THAT(run.errors, HasSubstr("fav2: the worker was killed by signal 11"));
    EXPECT_THAT(run.errors, HasSubstr("device-side assert"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "report.html"));
}

TEST(Compare, PassesOnTheWorkersOwnError) {
    const TestFolder folder;
    const ProgramRun run = runProgram(
        {"compare", "--prompt", "fail", "--types", "sagev1", "--output-dir", folder.path()}, "", kFakeWorker);
    EXPECT_EQ(run.exitCode, 2) << "the worker's error was bad usage";
    EXPECT_THAT(run.errors, HasSubstr("sagev1: --width 250"));
}

}  // namespace
}  // namespace reelgrid::cli
