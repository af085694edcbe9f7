#include "app/cli/document_programs.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "app/cli/console.h"
#include "app/cli/option_spelling.h"
#include "app/cli/rank_launcher.h"
#include "core/families/family.h"
#include "core/parallel/rank_place.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

const families::Script* scriptNamed(const std::string& word) {
    if (word.starts_with('-')) return nullptr;
    fs::path name = fs::path(word).filename();
    if (name.extension() == ".py" || name.extension() == ".sh") name.replace_extension();
    std::string small = name.string();
    std::ranges::transform(small, small.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return families::findScript(small);
}

bool has(const Words& words, std::string_view option) {
    return std::ranges::any_of(words, [&](const std::string& word) {
        return word == option ||
               (word.starts_with(option) && word.size() > option.size() && word[option.size()] == '=');
    });
}

std::optional<std::string> valueOf(const Words& words, std::string_view option) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == option && i + 1 < words.size()) return words[i + 1];
        if (words[i].starts_with(option) && words[i].size() > option.size() && words[i][option.size()] == '=')
            return words[i].substr(option.size() + 1);
    }
    return std::nullopt;
}

void addWhereMissing(Words& words, std::string_view option, std::string value) {
    if (has(words, option)) return;
    words.emplace_back(option);
    words.push_back(std::move(value));
}

int degreeOf(const Words& words, std::string_view option) {
    const std::string text = valueOf(words, option).value_or("1");
    int degree = 1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), degree);
    return error == std::errc() && end == text.data() + text.size() && degree > 0 ? degree : 1;
}

/// Degrees of a line that nobody has started as many ranks for; without any, the GPUs that the script takes.
void startRanks(Words& words, int ownRanks) {
    const auto place = parallel::rankPlace();
    const bool isStarted = !place || place->has_value();
    const int degrees = degreeOf(words, "--ulysses-degree") * degreeOf(words, "--ring-degree") *
                        degreeOf(words, "--cfg-parallel");
    const int ranks = degrees > 1 ? degrees : ownRanks;
    if (!isStarted && ranks > 1) addWhereMissing(words, "--nproc", std::to_string(ranks));
}

/// Captures go where the script has them.
void placeCaptures(Words& words, const families::Script& script) {
    if (!has(words, "--save-inputs") || has(words, "--input-dir")) return;
    const std::string folder = valueOf(words, "--benchmark-output-directory").value_or(script.captures);
    if (!folder.empty()) addWhereMissing(words, "--input-dir", folder);
}

/// Whether this process tells what of a line means nothing: ranks that another one has started with it don't.
bool tellsOfLine() {
    const auto place = parallel::rankPlace();
    const bool isFurther = place && place->has_value() && (*place)->rank > 0;
    return !isFurther && !isLaunchedRank();
}

/// Graphs of passes that several ranks share there are none.
void forgetCompileOnRanks(Words& words) {
    constexpr std::string_view kCompile = "--use-torch-compile";
    const bool onRanks = degreeOf(words, "--nproc") > 1 || degreeOf(words, "--ulysses-degree") > 1 ||
                         degreeOf(words, "--ring-degree") > 1;
    if (!onRanks || std::erase(words, kCompile) == 0) return;
    if (tellsOfLine())
        say("note: " + std::string(kCompile) + ": passes that ranks share are not replayed as graphs");
}

/// A line of text alone has no picture that could decide the size.
void forgetPicturesSize(Words& words) {
    constexpr std::string_view kForce = "--force-output-size";
    if (has(words, "--img-file-path") || std::erase(words, kForce) == 0) return;
    if (tellsOfLine()) sayIdle(std::string(kForce), "there is no picture");
}

/// What the script takes where its line says nothing.
std::string valueOf(const families::ScriptDefault& usual) {
    if (const char* home = std::getenv("HOME"); home != nullptr && *usual.fileAtHome != '\0') {
        const fs::path file = fs::path(home) / usual.fileAtHome;
        std::error_code failed;
        if (fs::exists(file, failed)) return file.string();
    }
    return usual.value;
}

/// The script that this program was started as, or whose name is the line's first word.
const families::Script* scriptOf(const std::string& program, const Words& arguments) {
    const families::Script* started = scriptNamed(program);
    return started != nullptr || arguments.empty() ? started : scriptNamed(arguments.front());
}

}  // namespace

std::vector<std::string> withScriptsTranslated(const std::string& program, std::vector<std::string> arguments,
                                               const std::function<int()>& gpus) {
    const families::Script* script = scriptOf(program, arguments);
    if (script == nullptr) return arguments;
    if (scriptNamed(program) == nullptr) arguments.erase(arguments.begin());
    Words words = withCurrentSpelling(std::move(arguments));
    // A line of its own task has its own pictures.
    const bool isText = valueOf(words, "--task") == "t2v";
    for (const families::ScriptDefault& usual : script->defaults)
        if (!isText || usual.option != "--img-file-path")
            addWhereMissing(words, usual.option, valueOf(usual));
    using Ranks = families::Script::Ranks;
    constexpr int kMostGpus = 8;  // that such a script takes by itself
    if (script->ranks != Ranks::One)
        startRanks(words, script->ranks == Ranks::OfGpus ? std::min(gpus(), kMostGpus) : 1);
    placeCaptures(words, *script);
    forgetCompileOnRanks(words);
    if (isText) forgetPicturesSize(words);
    if (script->hasOwnWays) addWhereMissing(words, kAsScript, std::string(script->name));
    Words all;
    for (const std::string_view word : script->verb)
        if (!word.empty()) all.emplace_back(word);
    all.insert(all.end(), words.begin(), words.end());
    return all;
}

void describeScript(CLI::App& program, const std::string& started,
                    const std::vector<std::string>& arguments) {
    const families::Script* script = scriptOf(started, arguments);
    if (script == nullptr) return;
    CLI::App* command = &program;
    for (const std::string_view word : script->verb)
        if (!word.empty()) command = command->get_subcommand(std::string(word));
    command->description(command->get_description() + ", with the defaults of " + std::string(script->name));
    for (const families::ScriptDefault& usual : script->defaults)
        if (CLI::Option* option = command->get_option_no_throw(std::string(usual.option)))
            option->default_str(valueOf(usual));
}

}  // namespace reelgrid::cli
