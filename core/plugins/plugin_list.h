#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/plugins/plugin_search.h"

namespace reelgrid::plugins {

/// Puts the backends of `files` into the kernels' list (kernels::addBackend), in the order that they are in.
/// Their code runs where it can do no harm until a kernel is first used. The error of a file that was given;
/// what is wrong with one that lies in a folder is put into `notes` and the file left out. A file that is in
/// the list already is passed over.
Result<void> addPlugins(const std::vector<PluginFile>& files, std::vector<std::string>& notes);

/// The same from what `backends list --json` printed, for a program that names backends and runs none;
/// returns how many were added. Those that it knows already are passed over.
std::size_t addDescribedPlugins(const nlohmann::json& backends);

/// The files that the plug-in backends of the list came from, each once.
std::vector<std::string> listedPluginFiles();

/// How to tell a process to list the same: "--backend-plugin FILE" for each of them.
std::vector<std::string> pluginArguments();

}  // namespace reelgrid::plugins
