#include "core/devices/device_name.h"

#include <gmock/gmock.h>

namespace reelgrid::devices {
namespace {

TEST(DeviceName, IsTheCpuOrAGpuByItsNumber) {
    EXPECT_EQ(*deviceNamed("cpu"), DeviceName{});
    EXPECT_EQ(*deviceNamed("cuda"), (DeviceName{DeviceKind::Cuda, 0}));
    EXPECT_EQ(*deviceNamed("cuda:7"), (DeviceName{DeviceKind::Cuda, 7}));
}

TEST(DeviceName, IsWrittenInOneWay) {
    EXPECT_EQ(deviceNamed("cpu")->text(), "cpu");
    EXPECT_EQ(deviceNamed("cuda")->text(), "cuda:0");
    EXPECT_EQ(deviceNamed("cuda:12")->text(), "cuda:12");
}

class RefusesDeviceName : public testing::TestWithParam<const char*> {};

TEST_P(RefusesDeviceName, NamingItAndWhatWasNeeded) {
    const auto device = deviceNamed(GetParam());
    ASSERT_FALSE(device) << device->text();
    EXPECT_EQ(device.error().code, ErrorCode::BadUsage);
    EXPECT_EQ(device.error().message,
              "--device " + std::string(GetParam()) + ": cpu, cuda or cuda:N was needed");
}

INSTANTIATE_TEST_SUITE_P(Any, RefusesDeviceName,
                         testing::Values("", "gpu", "CPU", "cpu:0", "cuda:", "cuda:-1", "cuda:+1", "cuda:1x",
                                         "cuda: 1", "cuda:99999999999", "cuda1"));

}  // namespace
}  // namespace reelgrid::devices
