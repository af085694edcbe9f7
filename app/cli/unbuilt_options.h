#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace reelgrid::cli {

/// Options of the reference tools that this version doesn't have yet: they parse, aren't in --help, and
/// giving one is BadUsage. Nothing is ignored in silence.
class UnbuiltOptions {
  public:
    void addFlag(CLI::App& command, const std::string& name);
    void addValue(CLI::App& command, const std::string& name);
    /// Those that `render` will have, which `compare` shares.
    void addRenderOptions(CLI::App& command);

    [[nodiscard]] Result<void> check() const;

  private:
    void add(const std::string& name, CLI::Option* option);
    std::vector<std::pair<std::string, CLI::Option*>> m_options;
};

}  // namespace reelgrid::cli
