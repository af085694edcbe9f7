#include "core/machine/machine.h"

#include <gmock/gmock.h>

#include "core/devices/gpu_choice.h"
#include "core/machine/local_machine.h"
#include "tests/machine/machines.h"

namespace reelgrid::machine {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const devices::DeviceName kCpu{}, kGpu{devices::DeviceKind::Cuda, 0};

TEST(Machine, KnowsTheBackendsOfEachDevice) {
    Machine machine = withoutGpu();
    machine.backends.push_back({.name = "theirs", .onCuda = true});
    EXPECT_THAT(machine.backendsOn(kCpu), Contains("fav2"));
    EXPECT_THAT(machine.backendsOn(kCpu), Not(Contains("theirs")));
    EXPECT_THAT(machine.backendsOn(kGpu), Contains("theirs"));
    EXPECT_THAT(machine.backendNames(), HasSubstr("sdpa, "));
    EXPECT_THAT(machine.backendNames(), HasSubstr(", theirs"));
    EXPECT_NE(machine.findBackend("theirs"), nullptr);
    EXPECT_EQ(machine.findBackend("nobody's"), nullptr);
    EXPECT_EQ(machine.pluginOf("theirs"), nullptr);
}

TEST(LocalMachine, IsTheOneThatThisRunsOn) {
    const Machine machine = LocalMachine().now();
    EXPECT_GT(machine.cpu.threads, 0u);
    EXPECT_GT(machine.cpu.memoryBytes, machine.cpu.availableBytes);
    EXPECT_EQ(machine.backends, withoutGpu().backends);
    EXPECT_TRUE(machine.models.empty());
}

TEST(Cpu, HasWhatItLists) {
    const Cpu cpu = withoutGpu().cpu;
    EXPECT_TRUE(cpu.has("fma"));
    EXPECT_FALSE(cpu.has("avx512bf16"));
    EXPECT_FALSE(cpu.has(""));
}

}  // namespace
}  // namespace reelgrid::machine
