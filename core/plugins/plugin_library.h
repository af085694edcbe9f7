#pragma once

#include <reelgrid/attention_backend.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "kernels/backends/plugin_backend.h"

namespace reelgrid::plugins {

/// Which library a plug-in's file means: itself, or what a recipe (.json) names.
struct PluginSource {
    std::filesystem::path library;
    std::filesystem::path recipe;  ///< empty without one
    std::filesystem::path loaded;  ///< by the plug-in, as the recipe's "library" says; may be empty
};

/// NotFound or InvalidData naming the file.
Result<PluginSource> sourceOf(const std::filesystem::path& file);

/// What tells one build of a plug-in from another: its file's SHA-256; of a recipe, that of the lines
/// "<sha256>  <name>" of it and the libraries that it names.
Result<std::string> pluginHash(const std::filesystem::path& file);

/// A plug-in's code in this process, which it stays in until the process ends.
class PluginLibrary {
  public:
    /// Loads and runs a stranger's code: only in a process that may die of it.
    static Result<std::shared_ptr<const PluginLibrary>> open(const std::filesystem::path& file);

    [[nodiscard]] const std::vector<const reelgrid_backend*>& backends() const { return m_backends; }

    /// Null when it has none of that name.
    [[nodiscard]] const reelgrid_backend* find(const std::string& name) const;

  private:
    std::vector<const reelgrid_backend*> m_backends;
};

/// What a backend says of itself, without file and hash. InvalidData naming what is wrong with it.
Result<kernels::PluginDescription> describe(const reelgrid_backend& backend);

}  // namespace reelgrid::plugins
