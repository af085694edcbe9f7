#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/backends_check.h"
#include "app/cli/backends_new.h"
#include "app/cli/console.h"
#include "app/cli/plugin_options.h"
#include "app/cli/verb.h"
#include "core/base/number_text.h"
#include "core/base/text_table.h"
#include "core/machine/machine_json.h"
#include "core/plugins/plugin_search.h"

namespace reelgrid::cli {
namespace {

using machine::Backend;
using machine::Machine;
using nlohmann::json;

std::string joined(const json& words) {
    std::string text;
    for (const json& word : words) text += (text.empty() ? "" : ", ") + word.get<std::string>();
    return text.empty() ? "none" : text;
}

/// The backends alone: nobody waits for the driver.
Machine listed() {
    Machine machine;
    addListedBackends(machine);
    return machine;
}

int runList(const Machine& machine, bool asDocument) {
    json document = json::array();
    std::vector<TableLine> lines;
    for (const Backend& backend : machine.backends) {
        const auto* plugin = machine.pluginOf(backend.name);
        document.push_back(toJson(backend, plugin));
        lines.push_back({{backend.name, joined(document.back()["devices"]),
                          plugin != nullptr ? "plug-in" : "built in", backend.title},
                         ""});
    }
    if (asDocument) return printResult(document);
    constexpr std::size_t kTextColumns = 4;
    std::string text = alignedTable(lines, kTextColumns);
    for (const kernels::PluginDescription& plugin : machine.plugins)
        text += plugin.name + " is from " + plugin.file + "\n";
    return printResult(text);
}

std::string claimOf(const kernels::PluginDescription& said) {
    return said.claimedL1 > 0 ? "a relative L1 error of at most " + significant(said.claimedL1, 3)
                              : "to be exact";
}

std::string described(const Backend& backend, const kernels::PluginDescription* origin) {
    constexpr std::size_t kIndent = 12;
    const json object = toJson(backend, origin);
    std::string text = backend.name + ": " + backend.title;
    text += "\ndevices     " + joined(object["devices"]);
    if (!backend.description.empty()) text += indented(backend.description, kIndent);
    if (!backend.cpuDeviation.empty()) text += indented("On the CPU: " + backend.cpuDeviation, kIndent);
    if (!backend.cudaDeviation.empty()) text += indented("On a GPU: " + backend.cudaDeviation, kIndent);
    for (const kernels::BackendOption& option : backend.options)
        text += "\noption      " + option.key + " (default " + option.value + ")" +
                (option.title.empty() ? "" : ": " + option.title);
    if (origin == nullptr) return text + "\norigin      built in";
    const kernels::PluginDescription& said = *origin;
    const json& plugin = object["plugin"];
    text += "\ndtypes      " + joined(plugin["dtypes"]);
    text += "\nhead dims   " + std::to_string(said.headDimMultiple) + " to " +
            std::to_string(said.maxHeadDim) +
            (said.headDimMultiple > 1 ? ", multiples of " + std::to_string(said.headDimMultiple) : "");
    text += "\ntakes       " + joined(plugin["features"]);
    text += "\nclaims      " + claimOf(said);
    text += "\norigin      plug-in, not part of ReelGrid";
    if (!said.version.empty()) text += "\nversion     " + said.version;
    if (!said.author.empty()) text += "\nauthor      " + said.author;
    if (!said.runtime.empty()) text += "\nruns in     " + said.runtime + " (" + said.interpreter + ")";
    return text + "\nfile        " + said.file + "\nsha256      " + said.sha256;
}

int runDescribe(const Machine& machine, const std::string& name, bool asDocument) {
    const Backend* backend = machine.findBackend(name);
    if (backend == nullptr)
        return fail({ErrorCode::BadUsage, "backends describe " + name + ": one of " + machine.backendNames() +
                                              " was needed (a plug-in's: --backend-plugin FILE)"});
    const auto* plugin = machine.pluginOf(name);
    return asDocument ? printResult(toJson(*backend, plugin)) : printResult(described(*backend, plugin));
}

struct BackendsVerb {
    std::string name;
    bool json = false;
};

}  // namespace

Verb addBackendsVerb(CLI::App& program) {
    auto verb = std::make_shared<BackendsVerb>();
    CLI::App* command =
        program.add_subcommand("backends", "The attention backends: ours, and those that you bring");
    command->require_subcommand(1);
    command->footer(
        "Plug-ins are found by --backend-plugin, in $REELGRID_BACKEND_PATH (files and folders,\n"
        "separated by colons) and in " +
        plugins::userPluginFolder().string());
    CLI::App* list = command->add_subcommand("list", "All of them, and where each comes from");
    CLI::App* describe = command->add_subcommand("describe", "What one computes, takes and claims");
    describe->add_option("NAME", verb->name, "As --attention-type takes it")->required();
    for (CLI::App* each : {list, describe}) {
        addPluginOption(*each);
        each->add_flag("--json", verb->json, "Print one JSON document");
    }
    const auto check = addCheckCommand(*command);
    const auto create = addNewCommand(*command);
    return {command, [=] {
                if (list->parsed()) return runList(listed(), verb->json);
                if (describe->parsed()) return runDescribe(listed(), verb->name, verb->json);
                return command->got_subcommand("check") ? check() : create();
            }};
}

}  // namespace reelgrid::cli
