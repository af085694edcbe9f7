#include "app/cli/comma_list.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

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

/// The verb that the first words name, as `bench attention`.
CLI::App* verbOf(CLI::App& program, const std::vector<std::string>& arguments) {
    CLI::App* verb = &program;
    for (const std::string& word : arguments) {
        const auto named = verb->get_subcommands([&](CLI::App* each) { return each->get_name() == word; });
        if (named.empty()) break;
        verb = named.front();
    }
    return verb;
}

bool takesFiles(const CLI::App& verb) {
    return std::ranges::any_of(verb.get_options(),
                               [](const CLI::Option* option) { return option->get_positional(); });
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
    // CLI11 takes the first word whatever it is.
    const auto optionIn = [&command](const std::string& word) {
        const bool isOption = word.starts_with("--") && command.get_option_no_throw(word) != nullptr;
        return isOption ? "\"" + word + "\" is an option, some text before it was needed" : std::string();
    };
    option->check(CLI::Validator(optionIn, ""));
    // A value without any text is told of as other options' are.
    const auto faultOf = [](const std::string& word) { return word.empty() ? "" : emptyEntryOf(word); };
    if (empty == EmptyEntries::Refused) option->check(CLI::Validator(faultOf, ""));
    return option;
}

void describeListsBesideFiles(CLI::App& command, const std::string& option, const std::string& files) {
    command.footer(option + " takes all words behind it, or one alone where that has a comma. " + files +
                   " stand before it,\nbehind such a word or behind \"--\".");
}

void endListsAtCommas(CLI::App& program, const std::vector<std::string>& arguments) {
    CLI::App& verb = *verbOf(program, arguments);
    if (!takesFiles(verb)) return;
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
        const std::size_t equals = arguments[i].find('=');
        const std::string name = arguments[i].substr(0, equals);
        CLI::Option* option = name.starts_with("--") ? verb.get_option_no_throw(name) : nullptr;
        if (option == nullptr || option->get_type_name() != kCommaListType) continue;
        const std::string word = equals != name.npos        ? arguments[i].substr(equals)
                                 : i + 1 < arguments.size() ? arguments[i + 1]
                                                            : "";
        if (word.find(',') != word.npos) option->allow_extra_args(false);
    }
}

Result<void> requireNoFiles(const std::string& option, const std::vector<std::string>& entries) {
    for (const std::string& entry : entries) {
        std::error_code failed;
        if (!entry.empty() && std::filesystem::is_regular_file(entry, failed))
            return Error{
                ErrorCode::BadUsage,
                option + " took " + entry +
                    ", which is a file: its place is before the option, behind a list with commas or "
                    "behind \"--\""};
    }
    return {};
}

}  // namespace reelgrid::cli
