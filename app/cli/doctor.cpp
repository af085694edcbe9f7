#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/console.h"
#include "app/cli/libtorch_version.h"
#include "app/cli/network_access.h"
#include "app/cli/plugin_options.h"
#include "app/cli/verb.h"
#include "core/base/byte_count.h"
#include "core/base/joined.h"
#include "core/base/version.h"
#include "core/catalog/model_catalog.h"
#include "core/devices/gpu_choice.h"
#include "core/machine/local_machine.h"
#include "core/machine/machine_json.h"
#include "core/media/capabilities.h"
#include "core/plugins/python/python_interpreter.h"

namespace reelgrid::cli {
namespace {

using nlohmann::json;

struct Checkup {
    machine::Machine machine;
    media::Capabilities media;
    Result<families::ModelInfo> demo = Error{};
    Result<void> withoutNetwork;                          ///< of workers
    Result<plugins::PythonInterpreter> python = Error{};  ///< of kernels in Python
    Result<std::string> pythonRuntime = Error{};
};

Checkup examine(const machine::LocalMachine& here) {
    machine::Machine machine = here.now();
    machine.models = catalog::modelsOfMachine();
    for (const std::string& line : catalog::unreadableInCache()) say("note: " + line);
    auto python = plugins::findPython();
    auto runtime = python ? plugins::runtimeOf(*python) : Result<std::string>(python.error());
    return {.machine = std::move(machine),
            .media = media::inspectCapabilities(),
            .demo = catalog::findModel(catalog::kDemoModel),
            .withoutNetwork = canLeaveNetwork(),
            .python = std::move(python),
            .pythonRuntime = std::move(runtime)};
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

std::string wordsOrNone(const std::vector<std::string>& words) {
    return words.empty() ? "none" : joined(words, " ");
}

std::string gpuText(const devices::GpuSurvey& survey) {
    const std::string driver = survey.driver.empty() ? "" : ", driver " + survey.driver;
    std::string text;
    for (const devices::Gpu& gpu : survey.gpus) {
        const devices::DeviceName name{devices::DeviceKind::Cuda, gpu.index};
        const auto obstacle = devices::obstacleOn(survey, name);
        text += "\nGPU        " + name.text() + ": " + gpu.name + ", capability " + gpu.capability.text() +
                ", " + byteCount(gpu.bytes) +
                (gpu.freeBytes ? ", " + byteCount(*gpu.freeBytes) + " free" : "") + driver;
        if (obstacle) text += indented("Not used: " + obstacle->message, 13);
    }
    return text.empty() ? "\nGPU        none: " + survey.obstacle : text;
}

std::vector<std::string> devicesOf(const machine::Backend& backend) {
    std::vector<std::string> names;
    if (backend.onCpu) names.emplace_back(nameOf(kernels::Device::Cpu));
    if (backend.onCuda) names.emplace_back(nameOf(kernels::Device::Cuda));
    return names;
}

json asJson(const Checkup& checkup) {
    json document = toJson(checkup.machine);
    document["versions"] = {
        {"reelgrid", kVersion}, {"libtorch", libtorchVersion()}, {"ffmpeg", checkup.media.version}};
    document["cpu"]["libtorch_level"] = libtorchCpuLevel();
    document["codecs"] = json::array();
    for (const media::EncoderSupport& encoder : checkup.media.encoders)
        document["codecs"].push_back(
            {{"container", encoder.container}, {"encoder", encoder.name}, {"present", encoder.present}});
    if (checkup.demo.ok())
        document["demo_model"] = {{"folder", checkup.demo->folder.string()},
                                  {"bytes", checkup.demo->bytes()}};
    document["labels"] = checkup.media.labels.ok();
    document["worker"]["network"] = !checkup.withoutNetwork.ok();
    if (!checkup.withoutNetwork) document["worker"]["why"] = checkup.withoutNetwork.error().message;
    if (checkup.pythonRuntime)
        document["python"] = {{"interpreter", checkup.python->path.string()},
                              {"from", checkup.python->from},
                              {"runtime", *checkup.pythonRuntime}};
    else
        document["python"] = {{"why", checkup.pythonRuntime.error().message}};
    document["problems"] = problemsOf(checkup);
    return document;
}

std::string asText(const Checkup& checkup) {
    const machine::Machine& machine = checkup.machine;
    std::string text = std::string("ReelGrid   ") + kVersion + "\nlibtorch   " + libtorchVersion() +
                       "\nFFmpeg     " + checkup.media.version + "\nCPU        " + machine.cpu.name + ", " +
                       std::to_string(machine.cpu.threads) + " threads\nfeatures   " +
                       wordsOrNone(machine.cpu.features) + "\nmemory     " +
                       byteCount(machine.cpu.memoryBytes) + ", " + byteCount(machine.cpu.availableBytes) +
                       " available" + gpuText(machine.gpus);
    for (const media::EncoderSupport& encoder : checkup.media.encoders)
        text += "\nencoder    " + encoder.container + ": " + encoder.name +
                (encoder.present ? "" : " is missing");
    for (const machine::Backend& backend : machine.backends) {
        text +=
            "\nbackend    " + backend.name + " (" + wordsOrNone(devicesOf(backend)) + "): " + backend.title;
        text += indented(backend.description, 13);
        if (!backend.cpuDeviation.empty()) text += indented("On the CPU: " + backend.cpuDeviation, 13);
        if (const auto* plugin = machine.pluginOf(backend.name))
            text += indented("Plug-in, not part of ReelGrid: " + plugin->file + ", SHA-256 " +
                                 plugin->sha256 + (plugin->runtime.empty() ? "" : ", in " + plugin->runtime),
                             13);
    }
    if (checkup.media.labels) text += "\nlabels     can be drawn";
    text += "\nworkers    " + (checkup.withoutNetwork
                                   ? "render without network (a seccomp filter), but for several ranks"
                                   : checkup.withoutNetwork.error().message);
    text += "\nPython     " + (checkup.pythonRuntime
                                   ? checkup.python->path.string() + " (" + checkup.python->from +
                                         "): " + *checkup.pythonRuntime + ", which kernels in Python run in"
                                   : checkup.pythonRuntime.error().message);
    if (checkup.demo.ok())
        text +=
            "\nmodel      demo in " + checkup.demo->folder.string() + ", " + byteCount(checkup.demo->bytes());
    return text;
}

int runDoctor(const machine::LocalMachine& machine, bool asDocument) {
    const Checkup checkup = examine(machine);
    const std::vector<std::string> problems = problemsOf(checkup);
    const int printed = asDocument ? printResult(asJson(checkup)) : printResult(asText(checkup));
    for (const std::string& problem : problems) say("reelgrid-cli: " + problem);
    return problems.empty() ? printed : 1;
}

}  // namespace

Verb addDoctorVerb(CLI::App& program, const machine::LocalMachine& machine) {
    auto asDocument = std::make_shared<bool>(false);
    CLI::App* command = program.add_subcommand("doctor", "What this machine can run");
    addPluginOption(*command);
    command->add_flag("--json", *asDocument, "Print one JSON document");
    return {command, [asDocument, machine] { return runDoctor(machine, *asDocument); }};
}

}  // namespace reelgrid::cli
