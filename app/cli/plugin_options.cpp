#include "app/cli/plugin_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string_view>

#include "app/cli/console.h"
#include "app/cli/option_spelling.h"
#include "core/plugins/plugin_list.h"

namespace reelgrid::cli {
namespace {

constexpr const char* kOption = "--backend-plugin";
constexpr std::array<std::string_view, 7> kVerbs{"backends", "bench", "compare", "doctor",
                                                 "render",   "tune",  "worker"};

std::vector<std::string> filesIn(const std::vector<std::string>& arguments) {
    std::vector<std::string> files;
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
        const std::string& word = arguments[i];
        if (word == kOption && i + 1 < arguments.size())
            files.push_back(arguments[++i]);
        else if (word.starts_with(std::string(kOption) + "="))
            files.push_back(word.substr(std::string_view(kOption).size() + 1));
    }
    return files;
}

}  // namespace

Result<void> addPluginsFor(const std::vector<std::string>& arguments) {
    if (arguments.empty() || std::find(kVerbs.begin(), kVerbs.end(), arguments.front()) == kVerbs.end())
        return {};
    std::vector<std::string> notes;
    const std::vector<std::string> named = filesIn(withCurrentSpelling(arguments));
    if (std::ranges::find(named, std::string()) != named.end())
        return Error{ErrorCode::BadUsage, std::string(kOption) + ": is empty, a file was needed"};
    const auto files = plugins::pluginFiles(named, notes);
    auto added = plugins::addPlugins(files, notes);
    for (const std::string& note : notes) say("note: backend plug-in " + note);
    if (!added) return added.error().in(kOption);
    return {};
}

void addPluginOption(CLI::App& command) {
    command
        .add_option_function<std::vector<std::string>>(
            kOption, [](const std::vector<std::string>&) {},
            "An attention backend of your own: its library, a recipe, or a kernel in Python; may be repeated")
        ->type_name("FILE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace reelgrid::cli
