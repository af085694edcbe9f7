#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid::devices {

/// The fake driver in the machine's place until the end of the scope: without a GPU until it is told of some.
class FakeDriver {
  public:
    FakeDriver();
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;
    ~FakeDriver();

    /// Sets an environment variable: one of fake_gpus.h, or the program's own.
    void says(const std::string& variable, const std::string& value);

  private:
    std::vector<std::string> m_variables;
};

/// "ok", or the error's code and message.
std::string textOf(const Result<void>& result);

}  // namespace reelgrid::devices
