#include "core/machine/machine_json.h"

#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "core/devices/gpu_choice.h"
#include "tests/machine/machines.h"

namespace reelgrid::machine {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// With a model and a plug-in beside what every machine has.
Machine furnished() {
    Machine machine = withH100();
    machine.models = {{.id = "demo", .title = "Demo", .family = "wan2.1", .folder = "/m/demo", .bytes = 42}};
    machine.backends.push_back(
        {.name = "theirs", .title = "Theirs", .cudaDeviation = "rounds", .onCuda = true});
    kernels::PluginDescription& plugin = machine.plugins.emplace_back();
    plugin.name = plugin.title = "theirs";
    plugin.file = "/plugins/theirs.so";
    plugin.sha256 = "ab";
    plugin.devices = {kernels::Device::Cuda};
    plugin.types = {kernels::DataType::BFloat16};
    plugin.maxHeadDim = 128;
    return machine;
}

TEST(MachineJson, IsReadAsItWasWritten) {
    for (const Machine& machine : {furnished(), withoutGpu()}) {
        const json document = toJson(machine);
        const auto read = machineFromJson(json::parse(document.dump()));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(toJson(*read), document);
        EXPECT_EQ(read->cpu, machine.cpu);
        EXPECT_EQ(read->backends, machine.backends);
        EXPECT_EQ(read->models, machine.models);
        EXPECT_EQ(read->plugins.size(), machine.plugins.size());
    }
}

TEST(MachineJson, KeepsWhatDecidesWhetherAGpuCanBeUsed) {
    Machine machine = withH100();
    EXPECT_EQ(toJson(machine)["gpu"]["gpus"][0]["used"], true);
    machine.gpus.buildObstacle = "this build has no CUDA kernels";
    const json document = toJson(machine);
    EXPECT_EQ(document["gpu"]["gpus"][0]["used"], false);
    EXPECT_EQ(document["gpu"]["gpus"][0]["obstacle"], "this build has no CUDA kernels");
    const auto read = machineFromJson(document);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(devices::usableDevices(read->gpus).size(), 1u);
    EXPECT_EQ(read->gpus.gpus.front().capability, (devices::ComputeCapability{9, 0}));
    EXPECT_EQ(read->gpus.gpus.front().freeBytes, 84'000'000'000u);
}

TEST(MachineJson, WhatNvmlDoesNotTellStaysUnknown) {
    Machine machine = withH100();
    machine.gpus.gpus.front().freeBytes.reset();
    EXPECT_EQ(machineFromJson(toJson(machine))->gpus.gpus.front().freeBytes, std::nullopt);
}

struct Wrong {
    const char* name;
    std::function<void(json&)> change;
    const char* message;
};
class RefusesMachine : public testing::TestWithParam<Wrong> {};

TEST_P(RefusesMachine, NamingWhatIsWrong) {
    json document = toJson(furnished());
    GetParam().change(document);
    const auto read = machineFromJson(document);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::InvalidData);
    EXPECT_THAT(read.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Any, RefusesMachine,
    testing::Values(
        Wrong{"NoObject", [](json& machine) { machine = 3; }, "an object was needed"},
        Wrong{"NoProcessor", [](json& machine) { machine.erase("cpu"); }, "cpu is missing"},
        Wrong{"NoGpus", [](json& machine) { machine["gpu"].erase("gpus"); }, "gpus is missing"},
        Wrong{"GpuElsewhere", [](json& machine) { machine["gpu"]["gpus"][0]["device"] = "cuda:1"; },
              "cuda:0 was needed"},
        Wrong{"Capability", [](json& machine) { machine["gpu"]["gpus"][0]["capability"] = "nine"; },
              "MAJOR.MINOR"},
        Wrong{"NegativeBytes", [](json& machine) { machine["gpu"]["gpus"][0]["bytes"] = -1; }, "bytes -1"},
        Wrong{"BackendWithoutName", [](json& machine) { machine["backends"][0].erase("name"); },
              "backend 1: name is missing"},
        Wrong{"PluginOfAnotherName",
              [](json& machine) { machine["backends"].back()["plugin"]["name"] = "another"; },
              "not \"another\""},
        Wrong{"TooManyGpus",
              [](json& machine) {
                  machine["gpu"]["gpus"] = json::array();
                  for (int i = 0; i < 1025; ++i) machine["gpu"]["gpus"].push_back(nullptr);
              },
              "at most 1024"},
        Wrong{"ModelWithoutId", [](json& machine) { machine["models"][0].erase("id"); }, "id is missing"}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace reelgrid::machine
