#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/bench_verbs.h"
#include "app/cli/benched_system.h"
#include "app/cli/comma_list.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_download.h"
#include "app/cli/progress_line.h"
#include "app/cli/vae_environment.h"
#include "app/cli/vae_table.h"
#include "app/cli/wrong_option.h"
#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/benchmark/vae_report.h"
#include "core/catalog/built_in_models.h"
#include "core/catalog/model_catalog.h"
#include "core/devices/device_name.h"
#include "core/devices/gpu_choice.h"
#include "core/execution/fp32_precision.h"
#include "core/hub/repository.h"
#include "core/machine/local_machine.h"
#include "core/protocol/render_fields.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostPixels = 16384;
constexpr int kFrames = 21, kMostFrames = 4093;
constexpr int kMostPasses = 1000;

struct BenchVae {
    std::optional<int> frames;
    std::string size = "832x480";
    int tilePixels = protocol::kTilePixels;
    int warmup = 1;
    int repetitions = 1;
    std::string device;
    std::vector<std::string> configurations, environment;
    std::string model = catalog::kDemoModel;
    std::string output;
    bool json = false;
};

/// "832x480" or "832*480".
Result<vae::ClipSize> sizeFrom(const BenchVae& verb) {
    const Error unreadable =
        wrongOption("--size", verb.size, "WIDTHxHEIGHT, each from 1 to " + std::to_string(kMostPixels) + ",");
    const char *at = verb.size.data(), *end = at + verb.size.size();
    int width = 0, height = 0;
    const auto first = std::from_chars(at, end, width);
    if (first.ec != std::errc() || first.ptr == end || (*first.ptr != 'x' && *first.ptr != '*'))
        return unreadable;
    const auto second = std::from_chars(first.ptr + 1, end, height);
    if (second.ec != std::errc() || second.ptr != end) return unreadable;
    if (width < 1 || height < 1 || width > kMostPixels || height > kMostPixels) return unreadable;
    return vae::ClipSize{.frames = verb.frames.value_or(kFrames), .height = height, .width = width};
}

Result<void> checkCount(const std::string& option, int value, int least, int most) {
    if (value >= least && value <= most) return {};
    return wrongOption(option, std::to_string(value),
                       "a number from " + std::to_string(least) + " to " + std::to_string(most));
}

/// A path as it is; else the model of that name.
fs::path checkpointOf(const std::string& model) {
    std::error_code failed;
    const bool isBuiltIn = catalog::findBuiltIn(model) != nullptr;
    if (!isBuiltIn && fs::exists(model, failed)) return model;
    if (!isBuiltIn && hub::isHubId(model)) return findOrDownloadComponent(model, "vae").value();
    return catalog::findModel(model).value().folder / "vae";
}

/// What the model's strides allow.
Result<benchmark::VaeCase> caseFor(const BenchVae& verb, const vae::VideoVae& vae, vae::ClipSize clip) {
    const vae::VaeShape shape = vae.shape();
    const std::int64_t edge = shape.spatialFactor, step = shape.frameStep;
    if (!verb.frames) clip.frames -= (clip.frames - 1) % step;
    if ((clip.frames - 1) % step != 0)
        return wrongOption("--frames", std::to_string(clip.frames), std::to_string(step) + "·k + 1");
    if (clip.width % edge != 0 || clip.height % edge != 0)
        return wrongOption("--size", verb.size, "multiples of " + std::to_string(edge));
    if (verb.tilePixels % edge != 0)
        return wrongOption("--tile-px", std::to_string(verb.tilePixels),
                           "a multiple of " + std::to_string(edge));
    return benchmark::VaeCase{.clip = clip,
                              .tiling = vae.tilingOf(verb.tilePixels),
                              .warmup = verb.warmup,
                              .repetitions = verb.repetitions,
                              .execution = {},
                              .configurations = verb.configurations};
}

std::string deviceFor(const BenchVae& verb, std::uint64_t weightBytes, const machine::Machine& machine) {
    // Weights and some times as much to work in.
    constexpr std::uint64_t kRoom = std::uint64_t{4} << 30;
    if (!verb.device.empty()) return verb.device;
    return devices::defaultDevice(machine.gpus, weightBytes + kRoom).text();
}

bool isHip(const std::string& device) {
    const auto name = devices::deviceNamed(device);
    return name && name->type == "hip";
}

/// What bench vae is asked for in a process that measures fp32 alone.
std::vector<std::string> wordsOfFp32(const BenchVae& verb, const std::string& device) {
    std::vector<std::string> words{"bench",
                                   "vae",
                                   "--model",
                                   verb.model,
                                   "--size",
                                   verb.size,
                                   "--tile-px",
                                   std::to_string(verb.tilePixels),
                                   "--warmup",
                                   std::to_string(verb.warmup),
                                   "--num-repetitions",
                                   std::to_string(verb.repetitions),
                                   "--device",
                                   device,
                                   "--configurations",
                                   "fp32",
                                   "--json"};
    if (verb.frames) words.insert(words.end(), {"--frames", std::to_string(*verb.frames)});
    return words;
}

/// The variables that fp32 is measured with: those asked for and, where nothing was chosen, MIOpen's on AMD's
/// GPUs.
std::vector<std::string> variablesOf(const BenchVae& verb, const std::string& device) {
    std::vector<std::string> variables = verb.environment;
    if (verb.configurations.empty() && isHip(device))
        for (const std::string& each : miopenVariables())
            if (std::ranges::find(variables, each) == variables.end()) variables.push_back(each);
    return variables;
}

Result<void> checkConfigurations(const BenchVae& verb) {
    const auto known = benchmark::vaeConfigurations({});
    std::string names;
    for (const auto& each : known) names += (names.empty() ? "" : ", ") + each.name;
    for (const std::string& name : verb.configurations)
        if (std::ranges::find(known, name, &benchmark::VaeConfiguration::name) == known.end())
            return wrongOption("--configurations", name, "one of " + names);
    return {};
}

Result<void> checkOptions(const BenchVae& verb) {
    if (auto checked = checkConfigurations(verb); !checked) return checked;
    if (auto checked = checkEnvironment(verb.environment); !checked) return checked;
    for (const auto& checked : {checkCount("--frames", verb.frames.value_or(kFrames), 1, kMostFrames),
                                checkCount("--tile-px", verb.tilePixels, 16, kMostPixels),
                                checkCount("--warmup", verb.warmup, 0, kMostPasses),
                                checkCount("--num-repetitions", verb.repetitions, 1, kMostPasses)})
        if (!checked) return checked;
    // Before measuring, so that a wrong path doesn't cost minutes.
    if (verb.output.empty()) return {};
    const auto file = PendingFile::create(verb.output);
    return file ? Result<void>() : file.error();
}

int runVae(const BenchVae& verb, const machine::Machine& machine) {
    if (auto checked = checkOptions(verb); !checked) return fail(checked.error());
    const auto clip = sizeFrom(verb);
    if (!clip) return fail(clip.error());
    const vae::VaeFiles checkpoint = vae::openVae(checkpointOf(verb.model));
    const auto vae = checkpoint.describe({}, vae::VaeParts::Both);
    auto wanted = caseFor(verb, *vae, *clip);
    if (!wanted) return fail(wanted.error());
    const std::string device = deviceFor(verb, checkpoint.bytes, machine);
    const auto execution = execution::executionOn(device);
    if (!execution) return fail(execution.error());
    wanted->execution = *execution;
    execution::setFp32Precision(protocol::kIeee);
    if (clip->width <= wanted->tiling.columns.tilePixels && clip->height <= wanted->tiling.rows.tilePixels)
        say("note: " + verb.size + " fits into one tile of " + std::to_string(verb.tilePixels) +
            " pixels: what is called tiled is not cut (--tile-px)");

    benchmark::VaeReport report{.system = benchedSystem(*execution, machine),
                                .model = verb.model,
                                .weights = checkpoint.path.string(),
                                .weightBytes = checkpoint.bytes,
                                .wanted = *wanted,
                                .shape = vae->shape(),
                                .rows = {},
                                .absent = {}};
    const InterruptWatch interrupts;
    ProgressLine line;
    report.rows = benchmark::measureVae(
        checkpoint, *wanted,
        [&](const std::string& configuration, const std::string& pass, int done, int total, double eta) {
            line.update(configuration, pass, done, total, eta);
        },
        interrupts.token());
    for (const std::string& variable : variablesOf(verb, device)) {
        line.update(variable, "fp32 in a process of its own", 0, 0, -1);
        auto row = measureWith(variable, wordsOfFp32(verb, device), interrupts.token());
        if (!row) return fail(row.error());
        report.rows.push_back(*std::move(row));
    }
    if (!isHip(device))
        for (const std::string& variable : miopenVariables())
            report.absent.push_back({variable, "MIOpen computes on AMD's GPUs alone (--device hip)"});
    line.clear();
    const nlohmann::json document = toJson(report);
    if (!verb.output.empty())
        if (auto written = writeFile(verb.output, printJsonIndented(document) + "\n"); !written)
            return fail(written.error());
    const int printed = verb.json ? printResult(document) : printResult(vaeTable(report));
    const bool ran = std::ranges::any_of(report.rows, [](const auto& row) { return row.error.empty(); });
    return ran ? printed : fail({ErrorCode::OutOfMemory, "no configuration could run"});
}

}  // namespace

Verb addBenchVae(CLI::App& bench, const machine::LocalMachine& machine) {
    auto verb = std::make_shared<BenchVae>();
    CLI::App* command = bench.add_subcommand(
        "vae", "Encode and decode with a model's VAE alone: fp32, bf16, and both in tiles");
    command
        ->add_option(
            "--model", verb->model,
            catalog::builtInNames() +
                ", a hub id (its VAE is downloaded where the cache lacks it), a diffusers folder (of "
                "the VAE or of a whole model), or a .safetensors or .pth file with diffusers' names or "
                "its authors'")
        ->capture_default_str();
    command->add_option("--frames", verb->frames,
                        "Frames of the clip (default: 21, or the next fewer that the VAE takes)");
    command->add_option("--size", verb->size, "Its pixels: WIDTHxHEIGHT or WIDTH*HEIGHT")
        ->capture_default_str();
    command
        ->add_option("--tile-px", verb->tilePixels,
                     "Height of a tile: a square of which a quarter overlaps, or of the shape of the samples "
                     "that the VAE was trained on")
        ->capture_default_str();
    command->add_option("--warmup", verb->warmup, "Untimed passes before the timed ones, per configuration")
        ->capture_default_str();
    command->add_option("--num-repetitions", verb->repetitions, "Timed passes per configuration")
        ->capture_default_str();
    addCommaList(*command, "--configurations", verb->configurations,
                 "Which, separated by commas: bf16, tiled fp32, tiled bf16 (default: all); fp32 is always "
                 "measured, the others are held against it");
    command
        ->add_option("--environment", verb->environment,
                     "NAME=VALUE: measures fp32 once more with this variable of a library set, in a process "
                     "of its own; may be given several times (default: MIOpen's two on --device hip)")
        ->type_name("NAME=VALUE");
    command->add_option("--device", verb->device,
                        "cpu, cuda or cuda:N; xpu or hip where libtorch was built for it (default: a GPU "
                        "with room, else cpu)");
    command->add_option("-o,--output", verb->output, "Also write the JSON document to this file");
    command->add_flag("--json", verb->json, "Print one JSON document");
    return {command, [verb, machine] { return runVae(*verb, machine.now()); }};
}

}  // namespace reelgrid::cli
