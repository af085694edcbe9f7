#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/cli/comma_list.h"
#include "app/cli/console.h"
#include "app/cli/verb.h"
#include "core/base/version.h"
#include "core/catalog/built_in_models.h"
#include "core/protocol/render_fields.h"
#include "kernels/backends/backend_list.h"

// What packaging/command_files makes completions and manual pages from.

namespace reelgrid::cli {
namespace {

using nlohmann::json;

constexpr std::string_view kHidden;  ///< the group of what isn't in --help

/// What an option's value is, by the option's name; what isn't here is as its type says.
struct Values {
    std::string_view option;
    json values;
};

const std::vector<Values>& knownValues() {
    using namespace protocol;
    static const json kBackends = "backend", kModels = "model", kFolder = "folder", kNothing = "none";
    static const json kDtypes = {"fp32", "bf16", "fp16"}, kDevices = {"cpu", "cuda"};
    static const json kTasks = {"t2v", "i2v", "ti2v"};
    static const std::vector<Values> kKnown = {
        {"--attention-type", kBackends},
        {"--backends", kBackends},
        {"--benchmark-output-directory", kFolder},
        {"--device", kDevices},
        {"--dtype", kDtypes},
        {"--format", {"mp4", "webm", "gif", "mkv"}},
        {"--fp32-precision", {kIeee, kTf32}},
        {"--generator", kDevices},
        {"--input-dir", kFolder},
        {"--keep-frames", {kKeepLossless, kKeepOff}},
        {"--kernel", kBackends},
        {"--kind", {"cpp", "cuda"}},
        {"--labels", kNothing},
        {"--lockstep", kBackends},
        {"--model", kModels},
        {"--negative-prompt", kNothing},
        {"--offload", {kOffloadAuto, kOffloadNone, kOffloadBlocks}},
        {"--output-dir", kFolder},
        {"--prompt", kNothing},
        {"--seed", kNothing},
        {"--shape", kNothing},
        {"--size", kNothing},
        {"--task", kTasks},
        {"--types", kBackends},
        {"--vae-dtype", kDtypes},
        {"--vae-tiling", {kTilingAuto, kTilingOn, kTilingOff}},
        {"NAME", kBackends},
        {"folder", kFolder},
        {"model", kModels},
    };
    return kKnown;
}

json valuesOf(const CLI::Option& option, const std::string& name) {
    if (option.get_items_expected_max() == 0) return nullptr;  // a flag
    for (const Values& known : knownValues())
        if (name == known.option) return known.values;
    constexpr std::array<std::string_view, 4> kNumbers{"INT", "UINT", "FLOAT", "BOOLEAN"};
    const bool isNumber = std::ranges::find(kNumbers, option.get_type_name()) != kNumbers.end();
    return isNumber ? "none" : "file";
}

json wordsOf(const CLI::Option& option) {
    json names = json::array();
    for (const std::string& name : option.get_snames()) names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
    const bool positional = option.get_positional();
    const std::string name = positional ? option.get_name(true) : names.back().get<std::string>();
    if (positional) names.push_back(name);
    return {{"names", names},
            {"help", option.get_description()},
            {"values", valuesOf(option, name)},
            {"type", option.get_items_expected_max() == 0 ? "" : option.get_type_name()},
            {"default", option.get_default_str()},
            {"list", option.get_type_name() == kCommaListType},
            {"required", option.get_required()}};
}

json wordsOf(const CLI::App& command) {
    json words = {{"name", command.get_name()},     {"help", command.get_description()},
                  {"footer", command.get_footer()}, {"options", json::array()},
                  {"positionals", json::array()},   {"verbs", json::array()}};
    for (const CLI::Option* option : command.get_options())
        if (option->get_group() != kHidden)
            words[option->get_positional() ? "positionals" : "options"].push_back(wordsOf(*option));
    for (const CLI::App* verb :
         command.get_subcommands([](const CLI::App* each) { return each->get_group() != kHidden; }))
        words["verbs"].push_back(wordsOf(*verb));
    return words;
}

json programWords(const CLI::App& program) {
    json words = wordsOf(program);
    words["version"] = kVersion;
    words["backends"] = json::array();
    for (const kernels::BackendInfo& backend : kernels::backends()) words["backends"].push_back(backend.name);
    words["models"] = json::array();
    for (const catalog::BuiltInModel& model : catalog::builtInModels())
        if (catalog::findBuiltIn(model.name) != nullptr) words["models"].push_back(model.name);
    return words;
}

}  // namespace

Verb addWordsVerb(CLI::App& program) {
    CLI::App* command = program.add_subcommand("words", "Every verb and option as one JSON document");
    command->group(std::string(kHidden));
    return {command, [&program] { return printResult(programWords(program)); }};
}

}  // namespace reelgrid::cli
