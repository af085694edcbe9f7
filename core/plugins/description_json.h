#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/base/result.h"
#include "kernels/backends/plugin_backend.h"

namespace reelgrid::plugins {

/// Whether a plug-in's backend may be called that: file names, policies and labels are made of it.
bool isBackendName(const std::string& name);
/// Whether the name means something of its own where backends are named ("default", "all").
bool isReservedName(const std::string& name);

/// How many parameters a backend may have.
inline constexpr std::size_t kMostOptions = 32;
nlohmann::json toJson(const std::vector<kernels::BackendOption>& options);
/// Untrusted. InvalidData naming what is wrong.
Result<std::vector<kernels::BackendOption>> optionsFromJson(const nlohmann::json& array);

/// What `backends list --json` says of a plug-in's backend, and one process tells another.
nlohmann::json toJson(const kernels::PluginDescription& description);
/// Untrusted. InvalidData naming what is wrong.
Result<kernels::PluginDescription> descriptionFromJson(const nlohmann::json& object);

}  // namespace reelgrid::plugins
