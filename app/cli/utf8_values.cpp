#include "app/cli/utf8_values.h"

#include <CLI/CLI.hpp>

#include "core/base/utf8.h"

namespace reelgrid::cli {

void refuseOtherThanUtf8(CLI::App& program) {
    for (CLI::Option* option : program.get_options())
        if (option->get_items_expected_max() > 0) option->check(CLI::Validator(whyNotUtf8, ""));
    for (CLI::App* verb : program.get_subcommands({})) refuseOtherThanUtf8(*verb);
}

}  // namespace reelgrid::cli
