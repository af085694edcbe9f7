#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reelgrid::plugins {

/// Where a plug-in was found: given by its user for this run, or lying in a folder that is looked through.
enum class Found { Given, InFolder };

struct PluginFile {
    std::filesystem::path path;  ///< absolute, symbolic links followed
    Found found = Found::Given;
};

/// The folder of a user's own plug-ins: $XDG_DATA_HOME/reelgrid/backends, else
/// ~/.local/share/reelgrid/backends. Empty without a home.
std::filesystem::path userPluginFolder();

/// `given`, then the libraries (.so), recipes (.json) and kernels in Python (.py with an attend()) of
/// $REELGRID_BACKEND_PATH (files and folders, separated by colons) and of the user's folder, each once and a
/// folder's in the order of their names. A folder that can't be looked through is put into `notes`, with why.
std::vector<PluginFile> pluginFiles(const std::vector<std::string>& given, std::vector<std::string>& notes);

}  // namespace reelgrid::plugins
