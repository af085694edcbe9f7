#include "app/cli/unbuilt_options.h"

#include <CLI/CLI.hpp>

namespace reelgrid::cli {

void UnbuiltOptions::add(const std::string& name, CLI::Option* option) {
    option->group("");  // not in --help
    m_options.emplace_back(name, option);
}

void UnbuiltOptions::addFlag(CLI::App& command, const std::string& name) {
    add(name, command.add_flag_function(name, [](std::int64_t) {}));
}

void UnbuiltOptions::addValue(CLI::App& command, const std::string& name) {
    // Some are written without their value, too.
    add(name, command.add_option_function<std::string>(name, [](const std::string&) {})->expected(0, 1));
}

void UnbuiltOptions::addRenderOptions(CLI::App& command) {
    for (const char* name : {"--use-fp8-attn", "--use-hybrid-fp8-attn", "--serve"}) addFlag(command, name);
    for (const char* name : {"--warmup-calls", "--rep-sleep-duration", "--cached-embedding"})
        addValue(command, name);
}

Result<void> UnbuiltOptions::check() const {
    for (const auto& [name, option] : m_options)
        if (option->count() > 0) return Error{ErrorCode::BadUsage, name + ": not in this version"};
    return {};
}

}  // namespace reelgrid::cli
