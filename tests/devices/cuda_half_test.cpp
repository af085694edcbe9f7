#include "core/devices/cuda_half.h"

#include <gmock/gmock.h>

#include "core/devices/gpu_choice.h"
#include "tests/devices/fake_driver.h"

// Beside this program lies a libreelgrid-cuda.so, empty as it is.

namespace reelgrid::devices {
namespace {

TEST(CudaHalf, LiesBesideTheProgramAndInTheChosenLibtorch) {
    FakeDriver driver;
    driver.says("REELGRID_LIBTORCH", REELGRID_EMPTY_LIBTORCH);
    const auto half = findCudaHalf();
    ASSERT_TRUE(half) << half.error().message;
    EXPECT_EQ(half->libtorch, REELGRID_EMPTY_LIBTORCH "/libtorch_cuda.so");
    EXPECT_EQ(half->kernels.filename(), "libreelgrid-cuda.so");
}

TEST(CudaHalf, NamesALibtorchThatHasNone) {
    FakeDriver driver;
    driver.says("REELGRID_LIBTORCH", "/nonexistent");
    const auto half = findCudaHalf();
    ASSERT_FALSE(half);
    EXPECT_EQ(half.error().code, ErrorCode::Unsupported);
    EXPECT_EQ(half.error().message,
              "libtorch has no CUDA half here (/nonexistent/libtorch_cuda.so): build with "
              "REELGRID_CUDA=1 packaging/build");
}

/// A machine with three GPUs, of which the first is too old.
class ThreeGpus : public testing::Test {
  protected:
    void SetUp() override {
        driver.says("REELGRID_LIBTORCH", REELGRID_EMPTY_LIBTORCH);
        driver.says("FAKE_GPUS",
                    "Tesla V100,7,0,90000000000,90000000000;A100,8,0,10000000000,2000000000;"
                    "H100,9,0,20000000000,9000000000");
    }
    /// With so much of a GPU's memory left when it has started.
    static std::string deviceFor(std::uint64_t memory) {
        return defaultDevice(surveyGpus(), memory - kStartBytes).text();
    }
    FakeDriver driver;
};

TEST_F(ThreeGpus, CanBeUsedButForTheOldOne) {
    const GpuSurvey gpus = surveyGpus();
    std::string names;
    for (const DeviceName& device : usableDevices(gpus)) names += device.text() + " ";
    EXPECT_EQ(names, "cpu cuda:1 cuda:2 ");
    EXPECT_EQ(textOf(requireUsable(gpus, {DeviceKind::Cuda, 2})), "ok");
}

TEST_F(ThreeGpus, TheDefaultIsTheFirstWithRoom) {
    EXPECT_EQ(deviceFor(10'000'000'000), "cuda:1");
    EXPECT_EQ(deviceFor(10'000'000'001), "cuda:2");
    EXPECT_EQ(deviceFor(20'000'000'001), "cpu");
}

TEST_F(ThreeGpus, WhatOthersTakeIsNoRoom) {
    driver.says("FAKE_NVML_DRIVER", "580.159.04");
    EXPECT_EQ(deviceFor(2'000'000'000), "cuda:1");
    EXPECT_EQ(deviceFor(2'000'000'001), "cuda:2");
    EXPECT_EQ(deviceFor(9'000'000'001), "cpu");
}

}  // namespace
}  // namespace reelgrid::devices
