#include "core/plugins/python/python_interpreter.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "core/plugins/answering_child.h"
#include "core/plugins/python/bridge_script.h"

namespace reelgrid::plugins {
namespace {

namespace fs = std::filesystem;

constexpr auto kRuntimePatience = std::chrono::seconds(20);

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool isProgram(const fs::path& file) {
    std::error_code failed;
    return fs::is_regular_file(file, failed) && access(file.c_str(), X_OK) == 0;
}

}  // namespace

Result<PythonInterpreter> findPython() {
    const std::string asked = variable("REELGRID_PYTHON");
    if (!asked.empty()) {
        const fs::path file = fs::absolute(asked);
        if (isProgram(file)) return PythonInterpreter{file, "REELGRID_PYTHON"};
        return Error{ErrorCode::NotFound, "REELGRID_PYTHON=" + asked + ": a program was needed"};
    }
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
        const fs::path file = fs::path(variable(name)) / "bin" / "python3";
        if (!variable(name).empty() && isProgram(file))
            return PythonInterpreter{file, "the active environment"};
    }
    const std::string path = variable("PATH");
    for (std::size_t start = 0; start < path.size();) {
        const std::size_t end = std::min(path.find(':', start), path.size());
        const fs::path file = fs::path(path.substr(start, end - start)) / "python3";
        if (file.is_absolute() && isProgram(file)) return PythonInterpreter{file, "PATH"};
        start = end + 1;
    }
    return Error{ErrorCode::NotFound,
                 "no python3 in PATH; an interpreter with torch was needed (REELGRID_PYTHON names one)"};
}

Result<std::string> runtimeOf(const PythonInterpreter& python) {
    const auto script = bridgeScript();
    if (!script) return script.error();
    const std::string program = python.path.string(), file = script->string();
    auto answer = answerOfChild(kRuntimePatience, [&](int output) {
        dup2(output, STDOUT_FILENO);
        execl(program.c_str(), program.c_str(), file.c_str(), "runtime", nullptr);
    });
    if (!answer) return answer.error();
    while (!answer->text.empty() && answer->text.back() == '\n') answer->text.pop_back();
    if (!answer->inTime || answer->status != 0 || answer->text.empty())
        return Error{ErrorCode::Unsupported,
                     program + ": it can't run ReelGrid's bridge: Python 3.9 or later was needed"};
    return std::move(answer->text);
}

}  // namespace reelgrid::plugins
