#pragma once

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>

namespace reelgrid::cli {

/// For the check() of an option: a number from `least` to `most`. CLI::Range takes "nan", which is neither
/// less than the one nor more than the other.
template <class Number>
CLI::Validator numberFrom(Number least, Number most) {
    const auto written = [](Number number) {
        std::ostringstream text;
        text << number;
        return text.str();
    };
    const std::string from = written(least), to = written(most);
    return {[=](const std::string& value) {
                Number number{};
                const bool isWithin =
                    CLI::detail::lexical_cast(value, number) && number >= least && number <= most;
                return isWithin ? std::string()
                                : value + ": a number from " + from + " to " + to + " was needed";
            },
            std::string(CLI::detail::type_name<Number>()) + " in [" + from + " - " + to + "]"};
}

}  // namespace reelgrid::cli
