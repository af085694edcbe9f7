#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// `backends check`: returns what runs it once it has parsed.
std::function<int()> addCheckCommand(CLI::App& backends);

}  // namespace reelgrid::cli
