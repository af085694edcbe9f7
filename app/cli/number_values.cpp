#include "app/cli/number_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "app/cli/option_checks.h"

namespace reelgrid::cli {
namespace {

/// By what the parser calls its type; an option that was given a name of its own is known by the "0" that it
/// makes of nothing.
bool takesNumbers(const CLI::Option& option) {
    constexpr std::array<std::string_view, 4> kNumbers{"INT", "UINT", "FLOAT", "SECONDS"};
    const std::string type = option.get_type_name();
    return std::ranges::any_of(kNumbers, [&](std::string_view number) { return type.starts_with(number); });
}

/// Empty for a number as people write one.
std::string faultOf(const std::string& value) {
    if (value.empty()) return "the value is empty, a number was needed";
    const std::size_t sign = value.find_first_of("+-") == 0 ? 1 : 0;
    const bool isOctal =
        value.size() > sign + 1 && value[sign] == '0' && value[sign + 1] >= '0' && value[sign + 1] <= '9';
    const bool isOdd = std::isspace(static_cast<unsigned char>(value.front())) != 0 ||
                       value.find_first_of("xX") != std::string::npos;
    return isOctal || isOdd ? value + ": a decimal number without blanks or zeros before it was needed"
                            : std::string();
}

}  // namespace

std::string wrongValue(std::string_view parsersWords) {
    constexpr std::string_view kBegin = "Could not convert: ";
    if (!parsersWords.starts_with(kBegin)) return std::string(parsersWords) + " (see --help)";
    return std::string(parsersWords.substr(kBegin.size())) +
           ": a value of the kind that --help names was needed, within its size";
}

void refuseOddNumbers(CLI::App& program) {
    checkOptions(program, takesNumbers, faultOf);
}

}  // namespace reelgrid::cli
