#include "app/cli/empty_values.h"

#include <CLI/CLI.hpp>
#include <string>

namespace reelgrid::cli {
namespace {

bool mayBeEmpty(const CLI::Option& option) {
    const std::string name = option.get_name();
    return name.find("prompt") != std::string::npos || name == "--labels";
}

std::string faultOf(const std::string& value) {
    return value.empty() ? "the value is empty, some text was needed" : "";
}

}  // namespace

void refuseEmptyTexts(CLI::App& program) {
    for (CLI::Option* option : program.get_options())
        if (option->get_items_expected_max() > 0 && !mayBeEmpty(*option))
            option->check(CLI::Validator(faultOf, ""));
    for (CLI::App* verb : program.get_subcommands({})) refuseEmptyTexts(*verb);
}

}  // namespace reelgrid::cli
