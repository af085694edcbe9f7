#include "core/devices/gpu_choice.h"

#include <gmock/gmock.h>

#include "tests/devices/fake_driver.h"

// This program has no CUDA half beside it (cuda_half_test.cpp: one that has).

namespace reelgrid::devices {
namespace {

constexpr const char* kOneGpu = "NVIDIA H100,9,0,1000,1000";
constexpr const char* kTwoGpus = "NVIDIA H100,9,0,1000,1000;Tesla V100,7,0,1000,1000";

std::string requiring(int gpu) {
    return textOf(requireUsable(surveyGpus(), {DeviceKind::Cuda, gpu}));
}

TEST(GpuChoice, TheCpuNeedsNoDriver) {
    FakeDriver driver;
    driver.says("REELGRID_CUDA_DRIVER", "/nonexistent");
    EXPECT_TRUE(requireUsable(surveyGpus(), {}));
    EXPECT_EQ(requiring(1), "unsupported: --device cuda:1: no NVIDIA driver (/nonexistent was not found)");
}

TEST(GpuChoice, CountsTheGpusWhenThereIsNoSuchOne) {
    FakeDriver driver;
    driver.says("FAKE_GPUS", kOneGpu);
    EXPECT_EQ(requiring(3), "bad_usage: --device cuda:3: this machine has 1 GPU, cuda:0 was needed");
    driver.says("FAKE_GPUS", kTwoGpus);
    EXPECT_EQ(requiring(2),
              "bad_usage: --device cuda:2: this machine has 2 GPUs, cuda:0 to cuda:1 was needed");
}

TEST(GpuChoice, RefusesAGpuThatIsTooOld) {
    FakeDriver driver;
    driver.says("FAKE_GPUS", kTwoGpus);
    EXPECT_EQ(requiring(1),
              "unsupported: --device cuda:1: Tesla V100 has compute capability 7.0, 7.5 or later was needed");
}

TEST(GpuChoice, SaysHowToGetTheCudaHalf) {
    FakeDriver driver;
    driver.says("FAKE_GPUS", kOneGpu);
    EXPECT_EQ(
        requiring(0),
        "unsupported: --device cuda:0: this build has no CUDA kernels (libreelgrid-cuda.so): build with "
        "REELGRID_CUDA=1 packaging/build");
}

TEST(GpuChoice, SaysThatOtherProgramsFillTheGpu) {
    FakeDriver driver;
    driver.says("FAKE_NVML_DRIVER", "580.1");
    driver.says("FAKE_GPUS", "NVIDIA H100,9,0,85000000000,200000000;NVIDIA H100,9,0,85000000000,9000000000");
    const GpuSurvey gpus = surveyGpus();
    EXPECT_EQ(textOf(requireRoomToStart(gpus, {DeviceKind::Cuda, 0})),
              "out_of_memory: --device cuda:0: 0.2 GB of its 85.0 GB are free, other programs hold the rest; "
              "0.7 GB are needed to start at all");
    EXPECT_TRUE(requireRoomToStart(gpus, {DeviceKind::Cuda, 1}));
}

TEST(GpuChoice, FallsToTheCpuWhereNoGpuCanBeUsed) {
    FakeDriver driver;
    driver.says("FAKE_GPUS", kOneGpu);
    EXPECT_EQ(defaultDevice(surveyGpus(), 0).text(), "cpu");
    EXPECT_EQ(usableDevices(surveyGpus()).size(), 1u);
}

}  // namespace
}  // namespace reelgrid::devices
