#include "core/machine/machine_json.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/devices/gpu_choice.h"
#include "core/plugins/description_json.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::machine {
namespace {

using nlohmann::json;
using protocol::FieldReader;

constexpr std::size_t kMostGpus = 1024, kMostBackends = 256, kMostModels = 4096, kMostFeatures = 256;

json gpuJson(const devices::Gpu& gpu, const devices::GpuSurvey& gpus) {
    const devices::DeviceName name{devices::DeviceKind::Cuda, gpu.index};
    const auto obstacle = devices::obstacleOn(gpus, name);
    json object = {{"device", name.text()},
                   {"name", gpu.name},
                   {"capability", gpu.capability.text()},
                   {"bytes", gpu.bytes},
                   {"used", !obstacle}};
    if (gpu.freeBytes) object["free_bytes"] = *gpu.freeBytes;
    if (obstacle) object["obstacle"] = obstacle->message;
    return object;
}

json gpusJson(const devices::GpuSurvey& gpus) {
    json object = {
        {"present", !gpus.gpus.empty()}, {"gpus", json::array()}, {"driver_cuda", gpus.driverCuda}};
    for (const devices::Gpu& gpu : gpus.gpus) object["gpus"].push_back(gpuJson(gpu, gpus));
    if (!gpus.driver.empty()) object["driver"] = gpus.driver;
    if (!gpus.obstacle.empty()) object["obstacle"] = gpus.obstacle;
    if (!gpus.buildObstacle.empty()) object["build_obstacle"] = gpus.buildObstacle;
    return object;
}

Error needed(const std::string& what) {
    return {ErrorCode::InvalidData, what + " was needed"};
}

/// "9.0"
Result<devices::ComputeCapability> capabilityFrom(const std::string& text) {
    devices::ComputeCapability capability;
    const char* end = text.data() + text.size();
    const auto major = std::from_chars(text.data(), end, capability.major);
    const bool isDotted = major.ec == std::errc() && major.ptr != end && *major.ptr == '.';
    const auto minor = isDotted ? std::from_chars(major.ptr + 1, end, capability.minor) : major;
    if (!isDotted || minor.ec != std::errc() || minor.ptr != end)
        return needed("capability " + showJson(text) + ": MAJOR.MINOR");
    return capability;
}

Result<devices::Gpu> gpuFrom(const json& object, int index) {
    devices::Gpu gpu;
    gpu.index = index;
    std::string device, capability;
    FieldReader fields(object, "GPU " + std::to_string(index), ErrorCode::InvalidData);
    fields.requireText("device", device);
    fields.requireText("name", gpu.name);
    fields.requireText("capability", capability);
    fields.integer("bytes", gpu.bytes);
    std::uint64_t freeBytes = 0;
    fields.integer("free_bytes", freeBytes);
    if (object.contains("free_bytes")) gpu.freeBytes = freeBytes;
    if (auto read = fields.finish(); !read) return read.error();
    const devices::DeviceName expected{devices::DeviceKind::Cuda, index};
    if (device != expected.text()) return needed("GPU " + showJson(device) + ": " + expected.text());
    auto read = capabilityFrom(capability);
    if (!read) return read.error().in(device);
    gpu.capability = *read;
    return gpu;
}

Result<devices::GpuSurvey> gpusFrom(const json& object) {
    devices::GpuSurvey gpus;
    FieldReader fields(object, "gpu", ErrorCode::InvalidData);
    fields.text("driver", gpus.driver);
    fields.text("obstacle", gpus.obstacle);
    fields.text("build_obstacle", gpus.buildObstacle);
    fields.integer("driver_cuda", gpus.driverCuda, 0);
    const json* list = fields.array("gpus", kMostGpus, true);
    if (auto read = fields.finish(); !read) return read.error();
    for (const json& each : *list) {
        auto gpu = gpuFrom(each, static_cast<int>(gpus.gpus.size()));
        if (!gpu) return gpu.error();
        gpus.gpus.push_back(*std::move(gpu));
    }
    return gpus;
}

Result<Cpu> cpuFrom(const json& object, const json& memory) {
    Cpu cpu;
    FieldReader fields(object, "cpu", ErrorCode::InvalidData);
    fields.text("name", cpu.name);
    int threads = 0;
    fields.integer("threads", threads, 0);
    cpu.threads = static_cast<unsigned>(threads);
    const json* features = fields.array("features", kMostFeatures, true);
    if (auto read = fields.finish(); !read) return read.error();
    for (const json& feature : *features) {
        if (!feature.is_string()) return needed("cpu: features " + showJson(feature) + ": text");
        cpu.features.push_back(feature.get<std::string>());
    }
    FieldReader bytes(memory, "memory", ErrorCode::InvalidData);
    bytes.integer("bytes", cpu.memoryBytes);
    bytes.integer("available_bytes", cpu.availableBytes);
    if (auto read = bytes.finish(); !read) return read.error();
    return cpu;
}

Result<void> addBackend(const json& object, Machine& machine) {
    Backend backend;
    FieldReader fields(object, "backend " + std::to_string(machine.backends.size() + 1),
                       ErrorCode::InvalidData);
    fields.requireText("name", backend.name);
    fields.text("title", backend.title);
    fields.text("description", backend.description);
    fields.text("cpu_deviation", backend.cpuDeviation);
    fields.text("cuda_deviation", backend.cudaDeviation);
    fields.boolean("by_name_only", backend.isByNameOnly);
    const json* devices = fields.array("devices", 2, true);
    const json* plugin = fields.object("plugin");
    const json* options = fields.array("options", plugins::kMostOptions);
    if (auto read = fields.finish(); !read) return read.error();
    const auto isFor = [&](kernels::Device device) {
        return std::ranges::find(*devices, json(nameOf(device))) != devices->end();
    };
    backend.onCpu = isFor(kernels::Device::Cpu);
    backend.onCuda = isFor(kernels::Device::Cuda);
    if (options != nullptr) {
        auto known = plugins::optionsFromJson(*options);
        if (!known) return known.error().in(backend.name);
        backend.options = *std::move(known);
    }
    if (plugin != nullptr) {
        auto description = plugins::descriptionFromJson(*plugin);
        if (!description) return description.error().in(backend.name);
        if (description->name != backend.name)
            return needed("backend " + showJson(backend.name) + ": a plug-in of that name, not " +
                          showJson(description->name) + ",");
        machine.plugins.push_back(*std::move(description));
    }
    machine.backends.push_back(std::move(backend));
    return {};
}

Result<Model> modelFrom(const json& object) {
    Model model;
    FieldReader fields(object, "model", ErrorCode::InvalidData);
    fields.requireText("id", model.id);
    fields.text("title", model.title);
    fields.text("family", model.family);
    fields.text("folder", model.folder);
    fields.integer("bytes", model.bytes);
    if (auto read = fields.finish(); !read) return read.error();
    return model;
}

}  // namespace

json toJson(const Backend& backend, const kernels::PluginDescription* plugin) {
    json devices = json::array();
    if (backend.onCpu) devices.push_back(nameOf(kernels::Device::Cpu));
    if (backend.onCuda) devices.push_back(nameOf(kernels::Device::Cuda));
    json object = {{"name", backend.name},
                   {"title", backend.title},
                   {"description", backend.description},
                   {"cpu_deviation", backend.cpuDeviation},
                   {"devices", std::move(devices)}};
    if (!backend.cudaDeviation.empty()) object["cuda_deviation"] = backend.cudaDeviation;
    if (backend.isByNameOnly) object["by_name_only"] = true;
    if (!backend.options.empty()) object["options"] = plugins::toJson(backend.options);
    if (plugin != nullptr) object["plugin"] = plugins::toJson(*plugin);
    return object;
}

json toJson(const Machine& machine) {
    json document = {
        {"cpu",
         {{"name", machine.cpu.name}, {"features", machine.cpu.features}, {"threads", machine.cpu.threads}}},
        {"memory", {{"bytes", machine.cpu.memoryBytes}, {"available_bytes", machine.cpu.availableBytes}}},
        {"gpu", gpusJson(machine.gpus)},
        {"backends", json::array()},
        {"models", json::array()}};
    for (const Backend& backend : machine.backends)
        document["backends"].push_back(toJson(backend, machine.pluginOf(backend.name)));
    for (const Model& model : machine.models)
        document["models"].push_back({{"id", model.id},
                                      {"title", model.title},
                                      {"family", model.family},
                                      {"folder", model.folder},
                                      {"bytes", model.bytes}});
    return document;
}

Result<Machine> machineFromJson(const json& document) {
    FieldReader fields(document, "machine", ErrorCode::InvalidData);
    const json* cpu = fields.object("cpu", true);
    const json* memory = fields.object("memory", true);
    const json* gpu = fields.object("gpu", true);
    const json* backends = fields.array("backends", kMostBackends, true);
    const json* models = fields.array("models", kMostModels);
    if (auto read = fields.finish(); !read) return read.error();
    Machine machine;
    auto gpus = gpusFrom(*gpu);
    if (!gpus) return gpus.error();
    machine.gpus = *std::move(gpus);
    auto processor = cpuFrom(*cpu, *memory);
    if (!processor) return processor.error();
    machine.cpu = *std::move(processor);
    for (const json& backend : *backends)
        if (auto added = addBackend(backend, machine); !added) return added.error();
    if (models == nullptr) return machine;
    for (const json& each : *models) {
        auto model = modelFrom(each);
        if (!model) return model.error();
        machine.models.push_back(*std::move(model));
    }
    return machine;
}

}  // namespace reelgrid::machine
