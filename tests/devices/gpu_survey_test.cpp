#include "core/devices/gpu_survey.h"

#include <gmock/gmock.h>

#include "tests/devices/fake_driver.h"

namespace reelgrid::devices {
namespace {

using testing::IsEmpty;

constexpr const char* kTwoSurveyedGpus =
    "NVIDIA H100 80GB HBM3,9,0,85029158912,84000000000;NVIDIA RTX A6000,8,6,50898927616,1000";

TEST(GpuSurvey, NamesADriverThatIsNotThere) {
    FakeDriver driver;
    driver.says("REELGRID_CUDA_DRIVER", "/nonexistent/libcuda.so.1");
    const GpuSurvey survey = surveyGpus();
    EXPECT_EQ(survey.obstacle, "no NVIDIA driver (/nonexistent/libcuda.so.1 was not found)");
    EXPECT_THAT(survey.gpus, IsEmpty());
}

TEST(GpuSurvey, SaysWhyADriverThatIsThereCantBeLoaded) {
    FakeDriver driver;
    driver.says("REELGRID_CUDA_DRIVER", "/etc/passwd");
    EXPECT_THAT(surveyGpus().obstacle,
                testing::StartsWith("the NVIDIA driver can't be loaded: /etc/passwd: "));
}

TEST(GpuSurvey, RefusesALibraryThatIsNoDriver) {
    FakeDriver driver;
    driver.says("REELGRID_CUDA_DRIVER", REELGRID_FAKE_NVML);
    EXPECT_EQ(surveyGpus().obstacle, REELGRID_FAKE_NVML " is not an NVIDIA driver");
}

TEST(GpuSurvey, RepeatsWhyTheDriverDoesNotStart) {
    FakeDriver driver;
    driver.says("FAKE_GPUS", kTwoSurveyedGpus);
    driver.says("FAKE_CUDA_INIT", "100");
    const GpuSurvey survey = surveyGpus();
    EXPECT_EQ(survey.obstacle, "the NVIDIA driver does not start: no CUDA-capable device is detected");
    EXPECT_THAT(survey.gpus, IsEmpty());
    driver.says("FAKE_CUDA_INIT", "999");
    EXPECT_EQ(surveyGpus().obstacle, "the NVIDIA driver does not start: error 999");
}

TEST(GpuSurvey, NamesBothVersionsOfADriverThatIsTooOld) {
    FakeDriver driver;
    driver.says("FAKE_GPUS", kTwoSurveyedGpus);
    driver.says("FAKE_CUDA_VERSION", "12040");
    EXPECT_EQ(surveyGpus().obstacle,
              "the NVIDIA driver runs CUDA up to 12.4, a driver for CUDA 13.0 was needed");
    driver.says("FAKE_NVML_DRIVER", "550.54.15");
    EXPECT_EQ(surveyGpus().obstacle,
              "the NVIDIA driver 550.54.15 runs CUDA up to 12.4, a driver for CUDA 13.0 was needed");
}

TEST(GpuSurvey, SaysThatThereIsNoGpu) {
    const FakeDriver driver;
    EXPECT_EQ(surveyGpus().obstacle, "the NVIDIA driver shows no GPU");
}

TEST(GpuSurvey, DescribesEveryGpu) {
    FakeDriver driver;
    driver.says("FAKE_GPUS", kTwoSurveyedGpus);
    driver.says("FAKE_CUDA_VERSION", "13010");
    const GpuSurvey survey = surveyGpus();
    EXPECT_EQ(survey.obstacle, "");
    EXPECT_EQ(survey.driver, "");
    EXPECT_EQ(survey.driverCuda, 13010);
    ASSERT_EQ(survey.gpus.size(), 2u);
    EXPECT_EQ(survey.gpus[0].name, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(survey.gpus[0].capability.text(), "9.0");
    EXPECT_EQ(survey.gpus[0].bytes, 85029158912u);
    EXPECT_EQ(survey.gpus[0].freeBytes, std::nullopt) << "NVML says nothing";
    EXPECT_EQ(survey.gpus[1].index, 1);
    EXPECT_EQ(survey.gpus[1].name, "NVIDIA RTX A6000");
    EXPECT_EQ(survey.gpus[1].capability.text(), "8.6");
    EXPECT_EQ(survey.gpus[1].bytes, 50898927616u);
    EXPECT_EQ(survey.gpus[1].obstacle(), std::nullopt);
}

TEST(GpuSurvey, HasDriverAndFreeMemoryFromNvml) {
    FakeDriver driver;
    driver.says("FAKE_GPUS", kTwoSurveyedGpus);
    driver.says("FAKE_NVML_DRIVER", "580.159.04");
    const GpuSurvey survey = surveyGpus();
    EXPECT_EQ(survey.driver, "580.159.04");
    ASSERT_EQ(survey.gpus.size(), 2u);
    EXPECT_EQ(survey.gpus[0].freeBytes, 84000000000u);
    EXPECT_EQ(survey.gpus[1].freeBytes, 1000u);
}

TEST(GpuSurvey, AGpuThatIsTooOldSaysSo) {
    FakeDriver driver;
    driver.says("FAKE_GPUS", "Tesla V100,7,0,15828320256,0");
    const GpuSurvey survey = surveyGpus();
    EXPECT_EQ(survey.obstacle, "") << "of the machine";
    ASSERT_EQ(survey.gpus.size(), 1u);
    EXPECT_EQ(survey.gpus[0].obstacle(), "Tesla V100 has compute capability 7.0, 7.5 or later was needed");
}

TEST(Gpu, TheLeastCapabilityIsEnough) {
    Gpu gpu;
    gpu.capability = kLeastCapability;
    EXPECT_EQ(gpu.obstacle(), std::nullopt);
    gpu.capability = {12, 0};
    EXPECT_EQ(gpu.obstacle(), std::nullopt) << "10 and more are not less than 8";
}

}  // namespace
}  // namespace reelgrid::devices
