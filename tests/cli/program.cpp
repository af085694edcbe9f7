#include "tests/cli/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// In the child: never returns.
void become(const std::vector<std::string>& arguments, const std::map<std::string, std::string>& environment,
            const TestFolder& files) {
    const auto redirect = [&](const char* name, int flags, int descriptor) {
        dup2(open(files.file(name).c_str(), flags, 0600), descriptor);
    };
    redirect("in", O_RDONLY, STDIN_FILENO);
    redirect("out", O_WRONLY | O_CREAT, STDOUT_FILENO);
    redirect("err", O_WRONLY | O_CREAT, STDERR_FILENO);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<std::string> words{REELGRID_BINARY_DIR "/bin/reelgrid-cli"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
}

}  // namespace

ProgramRun runProgram(const std::vector<std::string>& arguments, const std::string& input,
                      const std::map<std::string, std::string>& environment) {
    const TestFolder files;
    std::ofstream(files.path() / "in") << input;
    const pid_t child = fork();
    if (child == 0) become(arguments, environment, files);
    int status = 0;
    waitpid(child, &status, 0);
    return {.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            .output = contentOf(files.path() / "out"),
            .errors = contentOf(files.path() / "err")};
}

nlohmann::json onlyDocument(const std::string& text) {
    return nlohmann::json::parse(text, nullptr, false);
}

TestFolder::TestFolder() {
    std::string name = (fs::temp_directory_path() / "reelgrid-cli-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    m_path = name;
}

TestFolder::~TestFolder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

}  // namespace reelgrid::cli
