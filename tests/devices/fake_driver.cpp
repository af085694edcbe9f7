#include "tests/devices/fake_driver.h"

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

std::string textOf(const Result<void>& result) {
    return result ? "ok" : std::string(nameOf(result.error().code)) + ": " + result.error().message;
}

}  // namespace reelgrid::devices
