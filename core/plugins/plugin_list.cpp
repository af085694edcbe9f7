#include "core/plugins/plugin_list.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/utf8.h"
#include "core/plugins/described_plugin.h"
#include "core/plugins/description_json.h"
#include "core/plugins/library_kernel.h"
#include "core/plugins/python/python_description.h"
#include "core/plugins/python/python_kernel.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::plugins {
namespace {

Result<void> addFile(const std::filesystem::path& file) {
    if (auto text = requireUtf8("a plug-in's file", file.string()); !text) return text;
    auto descriptions = describedBy(file);
    if (!descriptions) return descriptions.error();
    for (kernels::PluginDescription& description : *descriptions) {
        std::unique_ptr<kernels::PluginKernel> kernel;
        if (isPython(file))
            kernel = std::make_unique<PythonKernel>(description);
        else
            kernel = std::make_unique<LibraryKernel>(description);
        if (auto why = kernels::addBackend({std::move(description), std::move(kernel)}))
            return Error{ErrorCode::InvalidData, file.string() + ": " + *why};
    }
    return {};
}

bool isListed(const std::filesystem::path& file) {
    const auto listed = listedPluginFiles();
    return std::find(listed.begin(), listed.end(), file.string()) != listed.end();
}

}  // namespace

Result<void> addPlugins(const std::vector<PluginFile>& files, std::vector<std::string>& notes) {
    for (const PluginFile& file : files) {
        if (isListed(file.path)) continue;
        const auto added = addFile(file.path);
        if (added) continue;
        if (file.found == Found::Given) return added.error();
        notes.push_back("left out: " + added.error().message);
    }
    return {};
}

std::size_t addDescribedPlugins(const nlohmann::json& backends) {
    std::size_t count = 0;
    if (!backends.is_array()) return count;
    for (const nlohmann::json& backend : backends) {
        if (!backend.is_object() || !backend.contains("plugin") || !backend["plugin"].is_object()) continue;
        auto description = descriptionFromJson(backend["plugin"]);
        if (description && !kernels::addBackend({*std::move(description), nullptr})) ++count;
    }
    return count;
}

std::vector<std::string> listedPluginFiles() {
    std::vector<std::string> files;
    for (const kernels::BackendInfo& backend : kernels::backends())
        if (backend.plugin != nullptr &&
            std::find(files.begin(), files.end(), backend.plugin->description.file) == files.end())
            files.push_back(backend.plugin->description.file);
    return files;
}

std::vector<std::string> pluginArguments() {
    std::vector<std::string> arguments;
    for (const std::string& file : listedPluginFiles()) {
        arguments.emplace_back("--backend-plugin");
        arguments.push_back(file);
    }
    return arguments;
}

}  // namespace reelgrid::plugins
