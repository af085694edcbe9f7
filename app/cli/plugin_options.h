#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"

namespace CLI {
class App;
}

namespace reelgrid::cli {

/// Puts the plug-in backends into the list of backends, where the verb that the command line names has a use
/// for them: those of --backend-plugin, whose errors are returned, and those that lie where they are looked
/// for, whose errors are said. Before the options are read: they name backends.
Result<void> addPluginsFor(const std::vector<std::string>& arguments);

/// --backend-plugin, which addPluginsFor() has read.
void addPluginOption(CLI::App& command);

}  // namespace reelgrid::cli
