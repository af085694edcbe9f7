#include "core/plugins/described_plugin.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/json.h"
#include "core/plugins/answering_child.h"
#include "core/plugins/description_json.h"
#include "core/plugins/plugin_library.h"
#include "core/plugins/python/python_description.h"

namespace reelgrid::plugins {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr auto kPatience = std::chrono::seconds(10);

/// In the child: the description as JSON, or what is wrong.
std::string describeHere(const fs::path& file) {
    json said = {{"backends", json::array()}};
    const auto library = PluginLibrary::open(file);
    if (!library) return printJson({{"error", library.error().message}});
    for (const reelgrid_backend* backend : (*library)->backends()) {
        auto description = describe(*backend);
        if (!description) return printJson({{"error", file.string() + ": " + description.error().message}});
        said["backends"].push_back(toJson(*description));
    }
    return printJson(said);
}

[[noreturn]] void serveAsChild(int output, const fs::path& file) {
    // What a plug-in prints must not be taken for this program's result.
    dup2(STDERR_FILENO, STDOUT_FILENO);
    std::string text;
    try {
        text = describeHere(file);
    } catch (...) {
        _exit(1);
    }
    for (std::string_view left = text; !left.empty();) {
        const ssize_t count = ::write(output, left.data(), left.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) _exit(1);
        left.remove_prefix(static_cast<std::size_t>(count));
    }
    _exit(0);  // nothing of the parent's is run, nor the plug-in's destructors
}

Result<std::string> askChild(const fs::path& file) {
    auto answer = answerOfChild(kPatience, [&file](int output) { serveAsChild(output, file); });
    if (!answer) return answer.error();
    if (!answer->inTime)
        return Error{ErrorCode::InvalidData, file.string() + ": it did not say what it is within " +
                                                 std::to_string(kPatience.count()) + " seconds"};
    if (WIFSIGNALED(answer->status))
        return Error{ErrorCode::InvalidData, file.string() + ": it crashed as it was loaded: signal " +
                                                 std::to_string(WTERMSIG(answer->status)) + " (" +
                                                 strsignal(WTERMSIG(answer->status)) + ")"};
    if (WEXITSTATUS(answer->status) != 0 || answer->text.empty())
        return Error{ErrorCode::InvalidData, file.string() + ": it ended the process that loaded it"};
    return std::move(answer->text);
}

}  // namespace

Result<std::vector<kernels::PluginDescription>> describedBy(const fs::path& file) {
    const auto hash = pluginHash(file);
    if (!hash) return hash.error();
    const auto text = isPython(file) ? pythonDescription(file, *hash) : askChild(file);
    if (!text) return text.error();
    const auto said = parseJson(*text, file.string());
    if (!said) return said.error();
    if (!said->is_object()) return Error{ErrorCode::InvalidData, file.string() + ": no description came"};
    if (const auto error = said->find("error"); error != said->end() && error->is_string())
        return Error{ErrorCode::InvalidData,
                     (isPython(file) ? file.string() + ": " : "") + error->get<std::string>()};
    std::vector<kernels::PluginDescription> descriptions;
    const json backends = said->value("backends", json::array());
    for (const json& object : backends) {
        auto description = descriptionFromJson(object);
        if (!description) return description.error().in(file.string());
        description->file = file.string();
        description->sha256 = *hash;
        descriptions.push_back(*std::move(description));
    }
    return descriptions;
}

}  // namespace reelgrid::plugins
