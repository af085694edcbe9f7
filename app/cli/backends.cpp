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
#include "core/plugins/description_json.h"
#include "core/plugins/plugin_search.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::cli {
namespace {

using kernels::BackendInfo;
using nlohmann::json;

std::string joined(const json& words) {
    std::string text;
    for (const json& word : words) text += (text.empty() ? "" : ", ") + word.get<std::string>();
    return text.empty() ? "none" : text;
}

int runList(bool asDocument) {
    json document = json::array();
    std::vector<TableLine> lines;
    for (const BackendInfo& backend : kernels::backends()) {
        document.push_back(plugins::backendJson(backend));
        lines.push_back({{std::string(backend.name), joined(document.back()["devices"]),
                          backend.plugin != nullptr ? "plug-in" : "built in", std::string(backend.title)},
                         ""});
    }
    if (asDocument) return printResult(document);
    constexpr std::size_t kTextColumns = 4;
    std::string text = alignedTable(lines, kTextColumns);
    for (const BackendInfo& backend : kernels::backends())
        if (backend.plugin != nullptr)
            text += std::string(backend.name) + " is from " + backend.plugin->description.file + "\n";
    return printResult(text);
}

std::string claimOf(const kernels::PluginDescription& said) {
    return said.claimedL1 > 0 ? "a relative L1 error of at most " + significant(said.claimedL1, 3)
                              : "to be exact";
}

std::string described(const BackendInfo& backend) {
    constexpr std::size_t kIndent = 12;
    const json object = plugins::backendJson(backend);
    std::string text = std::string(backend.name) + ": " + std::string(backend.title);
    text += "\ndevices     " + joined(object["devices"]);
    if (!backend.description.empty()) text += indented(std::string(backend.description), kIndent);
    if (!backend.cpu.deviation.empty())
        text += indented("On the CPU: " + std::string(backend.cpu.deviation), kIndent);
    if (!backend.cuda.deviation.empty())
        text += indented("On a GPU: " + std::string(backend.cuda.deviation), kIndent);
    if (backend.plugin == nullptr) return text + "\norigin      built in";
    const kernels::PluginDescription& said = backend.plugin->description;
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
    return text + "\nfile        " + said.file + "\nsha256      " + said.sha256;
}

int runDescribe(const std::string& name, bool asDocument) {
    const BackendInfo* backend = kernels::findBackend(name);
    if (backend == nullptr)
        return fail({ErrorCode::BadUsage, "backends describe " + name + ": one of " +
                                              kernels::backendNames() +
                                              " was needed (a plug-in's: --backend-plugin FILE)"});
    return asDocument ? printResult(plugins::backendJson(*backend)) : printResult(described(*backend));
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
                if (list->parsed()) return runList(verb->json);
                if (describe->parsed()) return runDescribe(verb->name, verb->json);
                return command->got_subcommand("check") ? check() : create();
            }};
}

}  // namespace reelgrid::cli
