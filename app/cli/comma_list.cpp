#include "app/cli/comma_list.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace reelgrid::cli {
namespace {

std::vector<std::string> entriesOf(const std::string& word) {
    std::vector<std::string> entries(1);
    for (const char letter : word)
        if (letter == ',')
            entries.emplace_back();
        else
            entries.back() += letter;
    return entries;
}

std::string emptyEntryOf(const std::string& word) {
    const std::vector<std::string> entries = entriesOf(word);
    if (std::ranges::find(entries, "") == entries.end()) return {};
    return "\"" + word + "\" has an empty entry, some text between commas was needed";
}

}  // namespace

// CLI11's own delimiter leaves empty entries out.
CLI::Option* addCommaList(CLI::App& command, const std::string& name, std::vector<std::string>& target,
                          const std::string& help, EmptyEntries empty) {
    CLI::Option* option = command.add_option_function<std::vector<std::string>>(
        name,
        [&target](const std::vector<std::string>& words) {
            target.clear();
            for (const std::string& word : words)
                for (std::string& entry : entriesOf(word)) target.push_back(std::move(entry));
        },
        help);
    option->type_name(kCommaListType);
    // A value without any text is told of as other options' are.
    const auto faultOf = [](const std::string& word) { return word.empty() ? "" : emptyEntryOf(word); };
    if (empty == EmptyEntries::Refused) option->check(CLI::Validator(faultOf, ""));
    return option;
}

}  // namespace reelgrid::cli
