#include "app/cli/attention_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "app/cli/comma_list.h"
#include "app/cli/console.h"
#include "app/cli/idle_call_options.h"
#include "app/cli/kernel_device.h"
#include "app/cli/token_grid_option.h"
#include "core/base/number_text.h"
#include "core/benchmark/attention_presets.h"
#include "core/benchmark/captured_input.h"
#include "core/execution/fp32_precision.h"
#include "core/execution/memory_check.h"
#include "core/protocol/backend_option.h"
#include "core/protocol/render_fields.h"
#include "kernels/backends/option_bounds.h"
#include "kernels/cpu/instruction_set.h"

namespace reelgrid::cli {
namespace {

using benchmark::AttentionCase;
using benchmark::MemoryOrder;

/// The demo model's self-attention.
constexpr const char* kDefaultShape = "1,3,1296,128";
constexpr const char* kDefaultType = "bf16";

std::string shapeHelp() {
    std::string text =
        "B,H,N,D or B,H,N,D,Nk: batch, heads (Hq/Hkv where query heads share key heads), queries, head dim, "
        "keys; may be repeated (" +
        std::string(kDefaultShape) + "). Or a model's own:";
    for (const benchmark::AttentionPreset& preset : benchmark::attentionPresets())
        text += "\n" + std::string(preset.name) + " (" + std::string(preset.shape) +
                "): " + std::string(preset.origin);
    return text;
}

Result<kernels::DataType> dataTypeFrom(const std::string& name) {
    constexpr std::array kNames{
        std::pair{"fp32", kernels::DataType::Float32},  std::pair{"float32", kernels::DataType::Float32},
        std::pair{"bf16", kernels::DataType::BFloat16}, std::pair{"bfloat16", kernels::DataType::BFloat16},
        std::pair{"fp16", kernels::DataType::Float16},  std::pair{"float16", kernels::DataType::Float16},
    };
    const std::string plain = name.starts_with("torch.") ? name.substr(6) : name;
    for (const auto& [known, type] : kNames)
        if (plain == known) return type;
    return Error{ErrorCode::BadUsage, "--dtype " + name + ": one of fp32, bf16, fp16 was needed"};
}

/// PyTorch's names, and those that say where the heads are.
Result<MemoryOrder> orderFrom(const std::string& name) {
    if (name == "NHD" || name == "bshd") return MemoryOrder::TokensFirst;
    if (name == "HND" || name == "bhsd") return MemoryOrder::HeadsFirst;
    return Error{ErrorCode::BadUsage, "--tensor-layout " + name + ": NHD or HND (bshd or bhsd) was needed"};
}

Result<std::vector<const kernels::BackendInfo*>> backendsFrom(const std::vector<std::string>& names,
                                                              kernels::Device device) {
    std::vector<const kernels::BackendInfo*> found;
    for (const std::string& name : names) {
        const kernels::BackendInfo* backend = kernels::findBackend(name);
        if (backend == nullptr)
            return Error{ErrorCode::BadUsage,
                         "--kernel " + name + ": one of " + kernels::backendNames() + " was needed"};
        if (std::find(found.begin(), found.end(), backend) != found.end())
            return Error{ErrorCode::BadUsage, "--kernel: " + name + " twice"};
        found.push_back(backend);
    }
    if (found.empty()) found = kernels::usualBackendsOn(device);
    return found;
}

Result<std::uint64_t> seedFrom(const std::string& text) {
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error == std::errc() && end == text.data() + text.size()) return seed;
    return Error{ErrorCode::BadUsage, "--seed " + text + ": a whole number from 0 to 2^64 - 1 was needed"};
}

bool smoothsKeys(const kernels::BackendInfo* backend) {
    return backend->method && kernels::traitsOf(*backend->method, 0).centresKeys;
}

Result<void> checkInstructionSet() {
    try {
        static_cast<void>(kernels::selectedInstructionSet());
    } catch (const std::runtime_error& error) {
        return Error{ErrorCode::BadUsage, error.what()};
    }
    return {};
}

Result<execution::Execution> startDevice(const AttentionOptions& options) {
    if (auto checked = checkInstructionSet(); !checked) return checked.error();
    const auto device = kernelDeviceNamed(options.device);
    if (!device) return device.error();
    if (*device == kernels::Device::Cpu) return execution::Execution{};
    if (options.processorTime)
        return Error{ErrorCode::BadUsage, "--cpu-time: --device cpu was needed, not " + options.device};
    auto started = execution::executionOn(options.device);
    if (started.ok()) execution::setFp32Precision(protocol::kIeee);
    return started;
}

Result<void> checkMemory(const AttentionCase& wanted) {
    const double needed = memoryToMeasure(wanted.shape, wanted.type, wanted.mask);
    const double available = double(execution::availableMemory(wanted.execution));
    if (needed <= available) return {};
    const std::string what =
        wanted.captured ? wanted.captured->file.string() : "--shape " + textOf(wanted.shape);
    return Error{ErrorCode::OutOfMemory, what + " needs about " + fixed(needed * 1e-9, 1) +
                                             " GB of memory, " + fixed(available * 1e-9, 1) + " GB are free"};
}

Result<void> checkGrid(const AttentionCase& wanted, const std::string& text) {
    if (!wanted.grid.isKnown() || wanted.grid.tokens() == wanted.shape.queries) return {};
    return Error{ErrorCode::BadUsage, "--grid " + text + ": " + std::to_string(wanted.grid.tokens()) +
                                          " tokens, the shape's " + std::to_string(wanted.shape.queries) +
                                          " queries were needed"};
}

/// What is the same for every shape and type.
Result<AttentionCase> commonCase(const AttentionOptions& options) {
    AttentionCase common;
    if (options.repetitions && *options.repetitions < 1)
        return Error{ErrorCode::BadUsage, "--num-repetitions " + std::to_string(*options.repetitions) +
                                              ": a number from 1 was needed"};
    common.repetitions = options.repetitions.value_or(0);
    common.mask = options.causal ? kernels::Mask::Causal : kernels::Mask::None;
    common.clock = options.processorTime ? benchmark::Clock::Processor : benchmark::Clock::Wall;
    const auto distribution = benchmark::distributionFrom(options.distribution);
    if (!distribution) return distribution.error();
    const auto chosenSeed = seedFrom(options.seed);
    if (!chosenSeed) return chosenSeed.error();
    common.madeUp = {.distribution = *distribution, .seed = *chosenSeed};
    if (!options.tensorLayout.empty()) {
        const auto order = orderFrom(options.tensorLayout);
        if (!order) return order.error();
        common.madeUp.order = *order;
    }
    const auto device = kernelDeviceNamed(options.device);
    if (!device) return device.error();
    auto backends = backendsFrom(options.kernels, *device);
    if (!backends) return backends.error();
    common.backends = *std::move(backends);
    auto set = attention::BackendOptions::create(options.backendOptions);
    if (!set) return set.error();
    common.settings.options = *std::move(set);
    for (const auto& asked : protocol::choicesIn(options.backendOptions)) {
        if (options.inputDir.empty() && kernels::keyWithoutLayers(asked.key) != asked.key)
            return Error{ErrorCode::BadUsage, "--backend-option " + asked.backend + "." + asked.key + "=" +
                                                  asked.value +
                                                  ": made-up inputs are of no layer, calls that a render "
                                                  "saved (--input-dir) were needed"};
        if (std::ranges::find(common.backends, asked.backend, &kernels::BackendInfo::name) ==
            common.backends.end())
            sayIdle("--backend-option", asked.backend + " is not among --kernel");
    }
    if (!(options.slaTopk > 0 && options.slaTopk <= 1))
        return Error{ErrorCode::BadUsage, "--sla-topk " + significant(options.slaTopk, 6) +
                                              ": a number above 0 and at most 1 was needed"};
    if (options.slaTopk != common.settings.slaTopk &&
        std::ranges::none_of(common.backends, &kernels::BackendInfo::linearBranch))
        sayIdle("--sla-topk", "neither sla nor sagesla is among --kernel");
    common.settings.slaTopk = options.slaTopk;
    if (!options.grid.empty()) {
        const auto grid = tokenGridFrom(options.grid);
        if (!grid) return grid.error();
        common.grid = *grid;
    }
    if (options.unsmoothedKeys) {
        if (std::ranges::none_of(common.backends, smoothsKeys))
            return Error{ErrorCode::BadUsage,
                         "--no-k-smooth: a kernel that smooths its keys was needed in --kernel"};
        common.keySmoothing = kernels::KeySmoothing::None;
    }
    return common;
}

Result<std::vector<AttentionCase>> madeUpCases(const AttentionOptions& options, AttentionCase common) {
    const std::vector<std::string> defaultShapes{kDefaultShape}, defaultTypes{kDefaultType};
    std::vector<AttentionCase> cases;
    for (const std::string& text : options.shapes.empty() ? defaultShapes : options.shapes) {
        const auto shape = benchmark::shapeNamed(text);
        if (!shape) return shape.error();
        common.shape = *shape;
        common.preset = benchmark::findPreset(text) != nullptr ? text : "";
        for (const std::string& name : options.dtypes.empty() ? defaultTypes : options.dtypes) {
            const auto type = dataTypeFrom(name);
            if (!type) return type.error();
            common.type = *type;
            cases.push_back(common);
        }
    }
    return cases;
}

/// What is passed over since no captured call is of such a layer, or each says its own grid.
void sayIdleOptions(const AttentionOptions& options, const AttentionCase& common,
                    const std::vector<AttentionCase>& recorded) {
    std::vector<std::optional<int>> layers;
    std::vector<kernels::TokenGrid> grids;
    for (const AttentionCase& each : recorded) {
        layers.push_back(each.captured->layer);
        grids.push_back(each.grid);
    }
    for (const kernels::BackendInfo* backend : common.backends)
        sayIdleLayers(options.backendOptions, std::string(backend->name), layers);
    sayIdleGrid(common.grid, grids);
}

/// Without --dtype each in its own.
Result<std::vector<AttentionCase>> capturedCases(const AttentionOptions& options,
                                                 const AttentionCase& common) {
    benchmark::CaptureSelection selection{.folder = options.inputDir,
                                          .sampleRate = options.sampleRate.value_or(1),
                                          .maxInputs = options.maxInputs};
    for (const auto& [name, number] :
         {std::pair{"--sample-rate", options.sampleRate}, {"--max-inputs", options.maxInputs}})
        if (number && *number < 1)
            return Error{ErrorCode::BadUsage,
                         name + (" " + std::to_string(*number)) + ": a number from 1 was needed"};
    if (!options.tensorLayout.empty()) selection.order = common.madeUp.order;
    std::vector<kernels::DataType> types;
    for (const std::string& name : options.dtypes) {
        const auto type = dataTypeFrom(name);
        if (!type) return type.error();
        types.push_back(*type);
    }
    auto recorded = benchmark::capturedCases(selection, common);
    if (!recorded) return recorded;
    sayIdleOptions(options, common, *recorded);
    if (types.empty()) return recorded;
    std::vector<AttentionCase> cases;
    for (const AttentionCase& wanted : *recorded)
        for (const kernels::DataType type : types) {
            cases.push_back(wanted);
            cases.back().type = type;
        }
    return cases;
}

}  // namespace

Result<std::vector<AttentionCase>> AttentionOptions::cases() const {
    const auto common = commonCase(*this);
    if (!common) return common.error();
    if (inputDir.empty() && (maxInputs || sampleRate))
        return Error{ErrorCode::BadUsage,
                     std::string(maxInputs ? "--max-inputs" : "--sample-rate") + ": --input-dir was needed"};
    auto cases = inputDir.empty() ? madeUpCases(*this, *common) : capturedCases(*this, *common);
    if (!cases) return cases;
    const auto execution = startDevice(*this);
    if (!execution) return execution.error();
    for (AttentionCase& wanted : *cases) {
        wanted.execution = *execution;
        if (auto checked = checkGrid(wanted, grid); !checked) return checked.error();
        if (auto checked = checkMemory(wanted); !checked) return checked.error();
    }
    return cases;
}

void AttentionOptions::addTo(CLI::App& command) {
    addCommaList(command, "--kernel", kernels,
                 "Which, separated by commas (default: " + kernels::usualBackendsInWords() +
                     "): " + kernels::backendNames());
    CLI::Option* shape = command.add_option("--shape", shapes, shapeHelp());
    CLI::Option* folder =
        command.add_option("--input-dir", inputDir,
                           "Measure the calls that a render saved there (render --save-inputs) instead");
    folder->excludes(shape);
    command.add_option("--max-inputs", maxInputs, "At most so many of them (all)");
    command.add_option("--sample-rate", sampleRate, "Every so many of them (all)");
    addCommaList(command, "--dtype", dtypes,
                 "fp32, bf16, fp16, separated by commas (made-up inputs: bf16; saved calls: their own)");
    command.add_option("--device", device, "cpu, cuda or cuda:N")->capture_default_str();
    CLI::Option* made = command.add_option(
        "--distribution", distribution,
        "Of made-up inputs: normal, transformer (RMS-normed Q and K, uneven channels), outlier "
        "(a thousandth of the values ten times as wide), sink (the first 4 keys draw the weight)");
    made->capture_default_str()->excludes(folder);
    command.add_option("--seed", seed, "Of made-up inputs, the same on every device")
        ->capture_default_str()
        ->excludes(folder);
    command.add_option("--tensor-layout", tensorLayout,
                       "How made-up inputs lie in memory, NHD (as models have them; the default) or HND; of "
                       "saved calls, where their files say it wrongly or not at all");
    command.add_option("--grid", grid, kTokenGridHelp);
    command
        .add_option("--backend-option", backendOptions,
                    "A parameter of a backend, NAME.KEY=VALUE; may be repeated")
        ->type_name("NAME.KEY=VALUE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option("--sla-topk", slaTopk, "Share of the key blocks that sla and sagesla keep, above 0 to 1")
        ->capture_default_str();
    command.add_flag("--causal", causal, "With a causal mask, aligned at the bottom right");
    command.add_flag("--no-k-smooth", unsmoothedKeys,
                     "Have sagev1 and fav3_sage quantise their keys as they are");
    command.add_option("--num-repetitions", repetitions,
                       "Turns of every kernel (CPU: about a second's worth, 7 to 301; GPU: a tenth of a "
                       "second's, 10 to 301)");
    command.add_flag("--cpu-time", processorTime,
                     "Measure the processor time of all threads together, on a machine that others use too");
}

}  // namespace reelgrid::cli
