#include "tests/devices/fake_driver.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace reelgrid::devices {

FakeDriver::FakeDriver() {
    says("REELGRID_CUDA_DRIVER", REELGRID_FAKE_DRIVER);
}

FakeDriver::~FakeDriver() {
    for (const std::string& variable : m_variables) unsetenv(variable.c_str());
}

void FakeDriver::says(const std::string& variable, const std::string& value) {
    setenv(variable.c_str(), value.c_str(), 1);
    m_variables.push_back(variable);
}

std::string inNewProcess(const std::function<std::string()>& ask) {
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        const std::string answer = ask();
        _exit(write(ends[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size()) ? 0 : 1);
    }
    close(ends[1]);
    std::string answer;
    std::array<char, 512> buffer;
    for (ssize_t count; (count = read(ends[0], buffer.data(), buffer.size())) > 0;)
        answer.append(buffer.data(), static_cast<std::size_t>(count));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return status == 0 ? answer : answer + " (and the process ended badly)";
}

std::string textOf(const Result<void>& result) {
    return result ? "ok" : std::string(nameOf(result.error().code)) + ": " + result.error().message;
}

}  // namespace reelgrid::devices
