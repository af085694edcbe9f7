#include "app/cli/number_values.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace reelgrid::cli {
namespace {

/// By what the parser calls its type; an option that was given a name of its own is known by the "0" that it
/// makes of nothing.
bool takesNumbers(const CLI::Option& option) {
    constexpr std::array<std::string_view, 4> kNumbers{"INT", "UINT", "FLOAT", "SECONDS"};
    const std::string type = option.get_type_name();
    return std::ranges::any_of(kNumbers, [&](std::string_view number) { return type.starts_with(number); });
}

}  // namespace

std::string wrongValue(std::string_view parsersWords) {
    constexpr std::string_view kBegin = "Could not convert: ";
    if (!parsersWords.starts_with(kBegin)) return std::string(parsersWords) + " (see --help)";
    return std::string(parsersWords.substr(kBegin.size())) +
           ": a value of the kind that --help names was needed, within its size";
}

void refuseEmptyNumbers(CLI::App& program) {
    for (CLI::Option* option : program.get_options())
        if (takesNumbers(*option))
            option->check(CLI::Validator(
                [](const std::string& value) {
                    return value.empty() ? std::string("the value is empty, a number was needed")
                                         : std::string();
                },
                ""));
    for (CLI::App* verb : program.get_subcommands({})) refuseEmptyNumbers(*verb);
}

}  // namespace reelgrid::cli
