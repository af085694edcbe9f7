#include "app/cli/empty_values.h"

#include <string>

#include "app/cli/option_checks.h"

namespace reelgrid::cli {
namespace {

bool mayBeEmpty(const CLI::Option& option) {
    const std::string name = option.get_name();
    const bool isPrompt = name.find("prompt") != std::string::npos && name != "--prompt-travel";
    return isPrompt || name == "--labels";
}

std::string faultOf(const std::string& value) {
    return value.empty() ? "the value is empty, some text was needed" : "";
}

}  // namespace

void refuseEmptyTexts(CLI::App& program) {
    checkOptions(
        program, [](const CLI::Option& option) { return takesValue(option) && !mayBeEmpty(option); },
        faultOf);
}

}  // namespace reelgrid::cli
