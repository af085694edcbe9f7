#include "app/cli/vae_environment.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "app/cli/case_process.h"
#include "app/cli/wrong_option.h"

namespace reelgrid::cli {

const std::vector<std::string>& miopenVariables() {
    static const std::vector<std::string> kVariables{"MIOPEN_FIND_MODE=2",
                                                     "MIOPEN_DEBUG_CONV_DIRECT_NAIVE_CONV_FWD=0"};
    return kVariables;
}

Result<void> checkEnvironment(const std::vector<std::string>& variables) {
    const auto mayNameOne = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    for (const std::string& variable : variables) {
        const std::string name = variable.substr(0, variable.find('='));
        if (name.empty() || name.size() == variable.size() || !std::ranges::all_of(name, mayNameOne))
            return wrongOption("--environment", variable, "NAME=VALUE");
    }
    return {};
}

Result<benchmark::VaeRow> measureWith(const std::string& variable, const std::vector<std::string>& arguments,
                                      const std::stop_token& stop) {
    // As long as it takes: the document is its one line, or its last.
    constexpr auto kPatience = std::chrono::hours(24 * 365);
    std::string said;
    const auto end = runCases(arguments, kPatience, [&](const std::string& line) { said += line + "\n"; },
                              stop, {variable});
    if (!end) return end.error();
    if (end->reason == ProcessEnd::Reason::Interrupted) return Error{ErrorCode::Cancelled, "cancelled"};
    benchmark::VaeRow failed;
    failed.configuration.name = variable;
    failed.error = end->words;
    if (end->reason != ProcessEnd::Reason::Finished) return failed;
    const auto document = nlohmann::json::parse(said, nullptr, false);
    auto row = benchmark::firstRowOf(document, variable);
    if (row) return row;
    failed.error = row.error().message;
    return failed;
}

}  // namespace reelgrid::cli
