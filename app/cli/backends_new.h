#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// `backends new`: returns what runs it once it has parsed.
std::function<int()> addNewCommand(CLI::App& backends);

}  // namespace reelgrid::cli
