#include "core/devices/device_name.h"

#include <gmock/gmock.h>

namespace reelgrid::devices {
namespace {

TEST(DeviceName, IsTheCpuOrAGpuByItsNumber) {
    EXPECT_EQ(*deviceNamed("cpu"), DeviceName{});
    EXPECT_EQ(*deviceNamed("cuda"), (DeviceName{DeviceKind::Cuda, 0}));
    EXPECT_EQ(*deviceNamed("cuda:7"), (DeviceName{DeviceKind::Cuda, 7}));
    EXPECT_EQ(*deviceNamed("xpu"), (DeviceName{DeviceKind::Other, 0, "xpu"}));
    EXPECT_EQ(*deviceNamed("hip:1"), (DeviceName{DeviceKind::Other, 1, "hip"}));
}

TEST(DeviceName, IsWrittenInOneWay) {
    EXPECT_EQ(deviceNamed("cpu")->text(), "cpu");
    EXPECT_EQ(deviceNamed("cuda")->text(), "cuda:0");
    EXPECT_EQ(deviceNamed("cuda:12")->text(), "cuda:12");
    EXPECT_EQ(deviceNamed("xpu")->text(), "xpu:0");
}

class RefusesDeviceName : public testing::TestWithParam<const char*> {};

TEST_P(RefusesDeviceName, NamingItAndWhatWasNeeded) {
    const auto device = deviceNamed(GetParam());
    ASSERT_FALSE(device) << device->text();
    EXPECT_EQ(device.error().code, ErrorCode::BadUsage);
    EXPECT_EQ(device.error().message,
              "--device " + std::string(GetParam()) +
                  ": cpu, cuda or cuda:N was needed; xpu or hip where libtorch was built for it");
}

INSTANTIATE_TEST_SUITE_P(Any, RefusesDeviceName,
                         testing::Values("", "gpu", "CPU", "cpu:0", "cuda:", "cuda:-1", "cuda:+1", "cuda:1x",
                                         "cuda: 1", "cuda:99999999999", "cuda1"));

}  // namespace
}  // namespace reelgrid::devices
