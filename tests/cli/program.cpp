#include "tests/cli/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
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

/// In the child, with its streams in place: never returns.
void execute(const std::vector<std::string>& arguments) {
    std::vector<std::string> words{REELGRID_BINARY_DIR "/bin/reelgrid-cli"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
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
    execute(arguments);
}

int codeOf(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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
    return {.exitCode = codeOf(status),
            .output = contentOf(files.path() / "out"),
            .errors = contentOf(files.path() / "err")};
}

RunningProgram::RunningProgram(const std::vector<std::string>& arguments, int pending, int ignored) {
    std::string name = (fs::temp_directory_path() / "reelgrid-errors-XXXXXX").string();
    const int errors = mkostemp(name.data(), O_CLOEXEC);
    m_errorFile = name;
    int input[2], output[2];
    if (errors < 0 || pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) std::abort();
    m_child = fork();
    if (m_child == 0) {
        dup2(input[0], STDIN_FILENO);
        dup2(output[1], STDOUT_FILENO);
        dup2(errors, STDERR_FILENO);
        // Whatever this process, started in the background maybe, ignores.
        for (const int number : {SIGINT, SIGHUP}) ::signal(number, number == ignored ? SIG_IGN : SIG_DFL);
        sigset_t held;
        sigemptyset(&held);
        if (pending != 0) {
            sigaddset(&held, pending);
            sigprocmask(SIG_BLOCK, &held, nullptr);
            raise(pending);
        }
        execute(arguments);
    }
    close(input[0]);
    close(output[1]);
    close(errors);
    m_input = input[1];
    m_output = output[0];
}

RunningProgram::~RunningProgram() {
    if (m_child > 0) finish(0);
    closeInput();
    close(m_output);
    fs::remove(m_errorFile);
}

void RunningProgram::write(const std::string& text) const {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = ::write(m_input, text.data() + done, text.size() - done);
        if (count <= 0) return;
        done += static_cast<std::size_t>(count);
    }
}

void RunningProgram::closeInput() {
    if (m_input >= 0) close(m_input);
    m_input = -1;
}

void RunningProgram::signal(int number) const {
    kill(m_child, number);
}

std::string RunningProgram::readLine() {
    std::string line;
    for (char letter = 0; read(m_output, &letter, 1) == 1 && letter != '\n';) line += letter;
    return line;
}

ProgramRun RunningProgram::finish(int seconds, OutputIs output) {
    ProgramRun run;
    int status = 0;
    const auto drain = [&] {
        std::array<char, 4096> bytes;
        pollfd ready{m_output, POLLIN, 0};
        while (poll(&ready, 1, 0) > 0) {
            const ssize_t count = read(m_output, bytes.data(), bytes.size());
            if (count <= 0) return;
            run.output.append(bytes.data(), static_cast<std::size_t>(count));
        }
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (waitpid(m_child, &status, WNOHANG) == 0) {
        if (output == OutputIs::Read) drain();
        if (std::chrono::steady_clock::now() > deadline) kill(m_child, SIGKILL);
        usleep(2000);
    }
    m_child = -1;
    drain();
    run.exitCode = codeOf(status);
    run.errors = contentOf(m_errorFile);
    return run;
}

nlohmann::json onlyDocument(const std::string& text) {
    return nlohmann::json::parse(text, nullptr, false);
}

std::vector<nlohmann::json> resultsIn(const std::string& text) {
    return onlyDocument(text).at("results").get<std::vector<nlohmann::json>>();
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

std::string textOf(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

}  // namespace reelgrid::cli
