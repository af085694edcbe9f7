#include "core/plugins/described_plugin.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/plugins/description_json.h"
#include "core/plugins/plugin_library.h"

namespace reelgrid::plugins {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

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
    prctl(PR_SET_PDEATHSIG, SIGKILL);
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

/// What the child wrote until its end, or until its time was up.
struct Answer {
    std::string text;
    bool inTime = true;
};

Answer readAnswer(int input) {
    Answer answer;
    const auto deadline = Clock::now() + kPatience;
    std::array<char, 4096> buffer;
    while (answer.text.size() < kMostBytes) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd readable{input, POLLIN, 0};
        const int ready = left.count() <= 0 ? 0 : poll(&readable, 1, static_cast<int>(left.count()));
        if (ready < 0 && errno == EINTR) continue;
        answer.inTime = ready > 0;
        if (!answer.inTime) break;
        const ssize_t count = read(input, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        answer.text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return answer;
}

Result<std::string> askChild(const fs::path& file) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return Error{ErrorCode::Internal, std::string("can't make a pipe: ") + std::strerror(errno)};
    std::fflush(nullptr);  // what is buffered would be written by both
    const pid_t child = fork();
    if (child == 0) serveAsChild(ends[1], file);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return Error{ErrorCode::Internal, std::string("can't start a process: ") + std::strerror(errno)};
    }
    Answer answer = readAnswer(ends[0]);
    close(ends[0]);
    if (!answer.inTime) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!answer.inTime)
        return Error{ErrorCode::InvalidData, file.string() + ": it did not say what it is within " +
                                                 std::to_string(kPatience.count()) + " seconds"};
    if (WIFSIGNALED(status))
        return Error{ErrorCode::InvalidData, file.string() + ": it crashed as it was loaded: signal " +
                                                 std::to_string(WTERMSIG(status)) + " (" +
                                                 strsignal(WTERMSIG(status)) + ")"};
    if (WEXITSTATUS(status) != 0 || answer.text.empty())
        return Error{ErrorCode::InvalidData, file.string() + ": it ended the process that loaded it"};
    return std::move(answer.text);
}

}  // namespace

Result<std::vector<kernels::PluginDescription>> describedBy(const fs::path& file) {
    const auto hash = pluginHash(file);
    if (!hash) return hash.error();
    const auto text = askChild(file);
    if (!text) return text.error();
    const auto said = parseJson(*text, file.string());
    if (!said) return said.error();
    if (!said->is_object()) return Error{ErrorCode::InvalidData, file.string() + ": no description came"};
    if (const auto error = said->find("error"); error != said->end() && error->is_string())
        return Error{ErrorCode::InvalidData, error->get<std::string>()};
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
