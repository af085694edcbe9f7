#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/console.h"
#include "app/cli/libtorch_version.h"
#include "app/cli/machine.h"
#include "app/cli/plugin_options.h"
#include "app/cli/verb.h"
#include "core/base/byte_count.h"
#include "core/base/version.h"
#include "core/catalog/model_catalog.h"
#include "core/devices/gpu_choice.h"
#include "core/media/capabilities.h"
#include "core/plugins/description_json.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;

struct Checkup {
    Machine machine;
    media::Capabilities media;
    Result<families::ModelInfo> demo = Error{};
};

Checkup examine() {
    return {.machine = inspectMachine(),
            .media = media::inspectCapabilities(),
            .demo = catalog::findModel(catalog::kDemoModel)};
}

/// What is missing that some verb can't do without, for a person.
std::vector<std::string> problemsOf(const Checkup& checkup) {
    std::vector<std::string> problems;
    for (const media::EncoderSupport& encoder : checkup.media.encoders)
        if (!encoder.present)
            problems.push_back("FFmpeg has no " + encoder.name + " encoder: " + encoder.container +
                               " can't be written");
    if (!checkup.media.labels)
        problems.push_back("labels can't be drawn: " + checkup.media.labels.error().message);
    if (!checkup.demo.ok()) problems.push_back(checkup.demo.error().message);
    return problems;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text.empty() ? "none" : text;
}

json gpuJson() {
    const devices::GpuSurvey& survey = devices::knownGpus();
    json gpus = json::array();
    for (const devices::Gpu& gpu : survey.gpus) {
        const devices::DeviceName name{devices::DeviceKind::Cuda, gpu.index};
        const auto obstacle = devices::obstacleOn(name);
        json entry = {{"device", name.text()},
                      {"name", gpu.name},
                      {"capability", gpu.capability.text()},
                      {"bytes", gpu.bytes},
                      {"used", !obstacle}};
        if (gpu.freeBytes) entry["free_bytes"] = *gpu.freeBytes;
        if (obstacle) entry["obstacle"] = obstacle->message;
        gpus.push_back(std::move(entry));
    }
    json document = {{"present", !survey.gpus.empty()}, {"gpus", std::move(gpus)}};
    if (!survey.driver.empty()) document["driver"] = survey.driver;
    if (!survey.obstacle.empty()) document["obstacle"] = survey.obstacle;
    return document;
}

std::string gpuText() {
    const devices::GpuSurvey& survey = devices::knownGpus();
    const std::string driver = survey.driver.empty() ? "" : ", driver " + survey.driver;
    std::string text;
    for (const devices::Gpu& gpu : survey.gpus) {
        const devices::DeviceName name{devices::DeviceKind::Cuda, gpu.index};
        const auto obstacle = devices::obstacleOn(name);
        text += "\nGPU        " + name.text() + ": " + gpu.name + ", capability " + gpu.capability.text() +
                ", " + byteCount(gpu.bytes) +
                (gpu.freeBytes ? ", " + byteCount(*gpu.freeBytes) + " free" : "") + driver;
        if (obstacle) text += indented("Not used: " + obstacle->message, 13);
    }
    return text.empty() ? "\nGPU        none: " + survey.obstacle : text;
}

std::vector<std::string> devicesOf(const kernels::BackendInfo& backend) {
    std::vector<std::string> names;
    for (const auto device : {kernels::Device::Cpu, kernels::Device::Cuda})
        if (backend.runsOn(device)) names.emplace_back(nameOf(device));
    return names;
}

json asJson(const Checkup& checkup) {
    const Machine& machine = checkup.machine;
    json document = {
        {"versions",
         {{"reelgrid", kVersion}, {"libtorch", libtorchVersion()}, {"ffmpeg", checkup.media.version}}},
        {"cpu",
         {{"name", machine.cpuName},
          {"features", machine.cpuFeatures},
          {"threads", machine.threads},
          {"libtorch_level", libtorchCpuLevel()}}},
        {"memory", {{"bytes", machine.memoryBytes}, {"available_bytes", machine.availableMemoryBytes}}},
        {"gpu", gpuJson()},
        {"codecs", json::array()},
        {"backends", json::array()},
        {"problems", problemsOf(checkup)}};
    for (const media::EncoderSupport& encoder : checkup.media.encoders)
        document["codecs"].push_back(
            {{"container", encoder.container}, {"encoder", encoder.name}, {"present", encoder.present}});
    for (const kernels::BackendInfo& backend : kernels::backends())
        document["backends"].push_back(plugins::backendJson(backend));
    if (checkup.demo.ok())
        document["demo_model"] = {{"folder", checkup.demo->folder.string()},
                                  {"bytes", checkup.demo->bytes()}};
    document["labels"] = checkup.media.labels.ok();
    return document;
}

std::string asText(const Checkup& checkup) {
    const Machine& machine = checkup.machine;
    std::string text = std::string("ReelGrid   ") + kVersion + "\nlibtorch   " + libtorchVersion() +
                       "\nFFmpeg     " + checkup.media.version + "\nCPU        " + machine.cpuName + ", " +
                       std::to_string(machine.threads) + " threads\nfeatures   " +
                       joined(machine.cpuFeatures) + "\nmemory     " + byteCount(machine.memoryBytes) + ", " +
                       byteCount(machine.availableMemoryBytes) + " available" + gpuText();
    for (const media::EncoderSupport& encoder : checkup.media.encoders)
        text += "\nencoder    " + encoder.container + ": " + encoder.name +
                (encoder.present ? "" : " is missing");
    for (const kernels::BackendInfo& backend : kernels::backends()) {
        text += "\nbackend    " + std::string(backend.name) + " (" + joined(devicesOf(backend)) + "): ";
        text += backend.title;
        text += indented(std::string(backend.description), 13);
        if (!backend.cpu.deviation.empty())
            text += indented("On the CPU: " + std::string(backend.cpu.deviation), 13);
        if (backend.plugin != nullptr)
            text += indented("Plug-in, not part of ReelGrid: " + backend.plugin->description.file +
                                 ", SHA-256 " + backend.plugin->description.sha256,
                             13);
    }
    if (checkup.media.labels) text += "\nlabels     can be drawn";
    if (checkup.demo.ok())
        text +=
            "\nmodel      demo in " + checkup.demo->folder.string() + ", " + byteCount(checkup.demo->bytes());
    return text;
}

int runDoctor(bool asDocument) {
    const Checkup checkup = examine();
    const std::vector<std::string> problems = problemsOf(checkup);
    const int printed = asDocument ? printResult(asJson(checkup)) : printResult(asText(checkup));
    for (const std::string& problem : problems) say("reelgrid-cli: " + problem);
    return problems.empty() ? printed : 1;
}

}  // namespace

Verb addDoctorVerb(CLI::App& program) {
    auto asDocument = std::make_shared<bool>(false);
    CLI::App* command = program.add_subcommand("doctor", "What this machine can run");
    addPluginOption(*command);
    command->add_flag("--json", *asDocument, "Print one JSON document");
    return {command, [asDocument] { return runDoctor(*asDocument); }};
}

}  // namespace reelgrid::cli
