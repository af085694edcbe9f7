// Devices that this machine hasn't, or has only by the word of the fake driver (tests/devices).

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using testing::HasSubstr;
using Environment = std::map<std::string, std::string>;

constexpr const char* kOneGpu = "NVIDIA H100,9,0,85029158912,0";
const Environment kNoDriver{{"REELGRID_CUDA_DRIVER", "/nonexistent"}};

Environment fakeDriver(const std::string& gpus, const std::string& cudaVersion = "13000") {
    return {{"REELGRID_CUDA_DRIVER", REELGRID_FAKE_DRIVER},
            {"FAKE_GPUS", gpus},
            {"FAKE_CUDA_VERSION", cudaVersion}};
}

struct Refused {
    const char* name;
    std::string device;
    Environment environment;
    int exitCode;
    std::string says;
};
void PrintTo(const Refused& refused, std::ostream* out) {
    *out << refused.name;
}

class RefusesDevice : public testing::TestWithParam<Refused> {};

TEST_P(RefusesDevice, ByOneLine) {
    const TestFolder folder;
    const std::string clip = folder.file("a.mp4");
    const ProgramRun run =
        runProgram({"render", "--device", GetParam().device, "--output", clip}, "", GetParam().environment);
    EXPECT_EQ(run.exitCode, GetParam().exitCode);
    EXPECT_EQ(run.output, "");
    EXPECT_THAT(run.errors, testing::StartsWith("reelgrid-cli: --device " + GetParam().says));
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

/// Verbs of kernels know the devices that have some.
TEST(VerbsOfKernels, RefuseADeviceWithoutAny) {
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"bench", "attention"}, {"backends", "check", "fav2"}}) {
        std::vector<std::string> words = verb;
        words.insert(words.end(), {"--device", "xpu"});
        const ProgramRun run = runProgram(words);
        EXPECT_EQ(run.exitCode, 2);
        EXPECT_EQ(run.errors,
                  "reelgrid-cli: --device xpu: it has no attention kernels, cpu, cuda or cuda:N "
                  "was needed\n");
    }
}

INSTANTIATE_TEST_SUITE_P(
    Any, RefusesDevice,
    testing::Values(
        Refused{"NoDriver", "cuda", kNoDriver, 1, "cuda:0: no NVIDIA driver (/nonexistent was not found)\n"},
        Refused{"NoGpu", "cuda", fakeDriver(""), 1, "cuda:0: the NVIDIA driver shows no GPU\n"},
        Refused{"OldDriver", "cuda", fakeDriver(kOneGpu, "12040"), 1, "cuda:0: the NVIDIA driver"},
        Refused{"OldGpu", "cuda", fakeDriver("Tesla V100,7,0,15828320256,0"), 1,
                "cuda:0: Tesla V100 has compute capability 7.0, 7.5 or later was needed\n"},
        Refused{"BeyondTheCount", "cuda:3", fakeDriver(kOneGpu), 2,
                "cuda:3: this machine has 1 GPU, cuda:0 was needed\n"}));

TEST(DeviceOfARender, AnOldDriverIsToldWithBothVersions) {
    const ProgramRun run = runProgram({"render", "--device", "cuda"}, "", fakeDriver(kOneGpu, "12040"));
    EXPECT_THAT(run.errors, HasSubstr("runs CUDA up to 12.4, a driver for CUDA 13.0 was needed\n"));
}

TEST(DeviceOfACompare, IsRefusedBeforeAnyRender) {
    const TestFolder folder;
    const ProgramRun run =
        runProgram({"compare", "--types", "sdpa", "--device", "cuda", "--output-dir", folder.file("out")}, "",
                   kNoDriver);
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_EQ(run.errors, "reelgrid-cli: --device cuda:0: no NVIDIA driver (/nonexistent was not found)\n");
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

nlohmann::json doctorsGpu(const Environment& environment) {
    const auto document = onlyDocument(runProgram({"doctor", "--json"}, "", environment).output);
    return document.value("gpu", nlohmann::json::object());
}

TEST(Doctor, SaysWhyThereIsNoGpu) {
    const nlohmann::json gpu = doctorsGpu(kNoDriver);
    EXPECT_EQ(gpu.value("present", true), false);
    EXPECT_EQ(gpu.value("obstacle", ""), "no NVIDIA driver (/nonexistent was not found)");
    EXPECT_EQ(gpu.value("gpus", nlohmann::json()), nlohmann::json::array());
}

TEST(Doctor, ListsEveryGpuAndWhyOneIsNotUsed) {
    const nlohmann::json gpu = doctorsGpu(fakeDriver(std::string(kOneGpu) + ";Tesla V100,7,0,15828320256,0"));
    EXPECT_EQ(gpu.value("present", false), true);
    EXPECT_FALSE(gpu.contains("obstacle"));
    const nlohmann::json gpus = gpu.value("gpus", nlohmann::json::array());
    ASSERT_EQ(gpus.size(), 2u);
    EXPECT_EQ(gpus[0].value("device", ""), "cuda:0");
    EXPECT_EQ(gpus[0].value("name", ""), "NVIDIA H100");
    EXPECT_EQ(gpus[0].value("capability", ""), "9.0");
    EXPECT_EQ(gpus[0].value("bytes", std::uint64_t{0}), 85029158912u);
    EXPECT_EQ(gpus[1].value("used", true), false);
    EXPECT_EQ(gpus[1].value("obstacle", ""),
              "Tesla V100 has compute capability 7.0, 7.5 or later was needed");
}

TEST(Doctor, KeepsAnOldDriversGpusOnTheList) {
    const nlohmann::json gpu = doctorsGpu(fakeDriver(kOneGpu, "12040"));
    EXPECT_THAT(gpu.value("obstacle", ""), HasSubstr("CUDA up to 12.4"));
    const nlohmann::json gpus = gpu.value("gpus", nlohmann::json::array());
    ASSERT_EQ(gpus.size(), 1u);
    EXPECT_EQ(gpus[0].value("used", true), false);
}

}  // namespace
}  // namespace reelgrid::cli
