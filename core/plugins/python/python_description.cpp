#include "core/plugins/python/python_description.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/cache_folder.h"
#include "core/base/json.h"
#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/plugins/answering_child.h"
#include "core/plugins/python/bridge_script.h"
#include "core/plugins/python/python_interpreter.h"

namespace reelgrid::plugins {
namespace {

namespace fs = std::filesystem;

constexpr auto kImportPatience = std::chrono::seconds(60);

std::string hashOf(const std::string& text) {
    return sha256Hex(text);
}

/// Changes with whatever may change what the file says: its contents, the bridge, and what is installed where
/// the interpreter looks (its environment's folders, whose times move with each package).
std::string cacheKey(const fs::path& file, const std::string& sha256, const fs::path& python,
                     const fs::path& bridge) {
    std::string text = file.string() + "\n" + sha256 + "\n" + python.string() + "\n";
    if (const auto hash = sha256OfFile(bridge)) text += *hash;
    std::error_code failed;
    const auto addTime = [&](const fs::path& path) {
        std::error_code unknown;
        const auto time = fs::last_write_time(path, unknown);
        if (!unknown) text += "\n" + std::to_string(time.time_since_epoch().count());
    };
    addTime(python);
    const char* home = std::getenv("HOME");
    for (const fs::path& root : {python.parent_path().parent_path() / "lib", fs::path("/usr/local/lib"),
                                 fs::path(home == nullptr ? "" : home) / ".local" / "lib"})
        for (fs::directory_iterator entry(root, failed), end; !failed && entry != end;
             entry.increment(failed))
            for (const char* name : {"site-packages", "dist-packages"}) {
                std::error_code none;
                if (fs::is_directory(entry->path() / name, none)) addTime(entry->path() / name);
            }
    return hashOf(text);
}

/// Where a file's description is or would be; nothing without a home or a Python.
std::optional<fs::path> keptDescription(const fs::path& file, const std::string& sha256) {
    const fs::path cache = cacheFolder();
    const auto python = findPython();
    const auto bridge = bridgeScript();
    if (cache.empty() || !python || !bridge) return std::nullopt;
    return cache / "python-kernels" / (cacheKey(file, sha256, python->path, *bridge) + ".json");
}

Result<std::string> imported(const fs::path& file, const fs::path& python, const fs::path& bridge) {
    const std::string program = python.string(), script = bridge.string(), kernel = file.string();
    const auto wrong = [&](const std::string& what) {
        return Error{ErrorCode::InvalidData, kernel + ": " + program + " " + what};
    };
    auto answer = answerOfChild(kImportPatience, [&](int output) {
        dup2(output, STDOUT_FILENO);
        execl(program.c_str(), program.c_str(), script.c_str(), "describe", kernel.c_str(), nullptr);
    });
    if (!answer) return answer.error();
    if (!answer->inTime)
        return wrong("did not import it within " + std::to_string(kImportPatience.count()) + " seconds");
    if (WIFSIGNALED(answer->status))
        return wrong("crashed as it imported it: signal " + std::to_string(WTERMSIG(answer->status)) + " (" +
                     strsignal(WTERMSIG(answer->status)) + ")");
    if (WEXITSTATUS(answer->status) != 0 || answer->text.empty()) return wrong("ended as it imported it");
    return std::move(answer->text);
}

}  // namespace

bool isPython(const fs::path& file) {
    return file.extension() == ".py";
}

Result<std::string> pythonDescription(const fs::path& file, const std::string& sha256) {
    const auto python = findPython();
    if (!python) return python.error();
    const auto bridge = bridgeScript();
    if (!bridge) return bridge.error();
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    const auto kept = keptDescription(file, sha256);
    if (kept)
        if (auto text = readFile(*kept, kMostBytes)) return text;
    auto text = imported(file, python->path, *bridge);
    if (!text) return text;
    auto said = parseJson(*text, file.string());
    if (!said) return said.error();
    // Where it can't be kept it is asked for again.
    const bool isUsable = said->is_object() && said->contains("backends");
    if (kept && isUsable) static_cast<void>(writeFile(*kept, *text));
    return text;
}

void forgetPythonDescription(const fs::path& file, const std::string& sha256) {
    const auto kept = keptDescription(file, sha256);
    std::error_code failed;
    if (kept) fs::remove(*kept, failed);
}

}  // namespace reelgrid::plugins
