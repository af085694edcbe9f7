#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace reelgrid::cli {

/// Has every option of the program and of its verbs that `isMeant(const CLI::Option&)` takes refuse values
/// that `faultOf` has words for; empty words: none.
void checkOptions(CLI::App& program, const auto& isMeant, std::string (*faultOf)(const std::string&)) {
    for (CLI::Option* option : program.get_options())
        if (isMeant(*option)) option->check(CLI::Validator(faultOf, ""));
    for (CLI::App* verb : program.get_subcommands({})) checkOptions(*verb, isMeant, faultOf);
}

inline bool takesValue(const CLI::Option& option) {
    return option.get_items_expected_max() > 0;
}

}  // namespace reelgrid::cli
