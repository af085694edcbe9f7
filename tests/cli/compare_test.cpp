#include <gmock/gmock.h>

#include <fstream>
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

/// Weights that nobody could load are looked at after the sizes.
TEST(Compare, RefusesPicturesThatAreTooSmallForAMetricBeforeAnythingIsRendered) {
    const TestFolder folder;
    for (const char* weights : {"alexnet.pth", "alex.pth", "squeezenet1_1.pth", "squeeze.pth"})
        std::ofstream(folder.file(weights)) << "nothing";
    const auto refused = [&](const std::string& metric, const std::string& side, const std::string& types) {
        const ProgramRun run = runProgram(
            {"compare", "--prompt", "fail", "--types", types, "--width", side, "--height", side, "--metrics",
             metric, "--metric-weights", folder.path().string(), "--output-dir", folder.file("out")},
            "", kFakeWorker);
        EXPECT_THAT(run.output, testing::IsEmpty());
        EXPECT_FALSE(std::filesystem::exists(folder.path() / "out")) << run.errors;
        EXPECT_EQ(run.exitCode, run.errors.find("sides of at least") == std::string::npos ? 1 : 2);
        return run.errors;
    };
    const char* const tooSmall = "lpips: the pictures are 16x16, sides of at least 31 pixels are needed";
    EXPECT_THAT(refused("lpips", "16", "sdpa,fav2"), HasSubstr(tooSmall));
    EXPECT_THAT(refused("lpips_squeeze", "16", "sdpa,fav2"), HasSubstr("sides of at least 17 pixels"));
    EXPECT_THAT(refused("lpips", "32", "sdpa,fav2"), testing::Not(HasSubstr("sides of at least")));
    EXPECT_THAT(refused("lpips", "16", "sdpa"), testing::Not(HasSubstr("sides of at least")))
        << "there is nothing to measure it on";
}

}  // namespace
}  // namespace reelgrid::cli
