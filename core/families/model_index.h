#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace reelgrid::families {

/// A model's folder in diffusers' layout as a family looks at it: model_index.json, and the configs that it
/// asks for. Nothing here reads weights.
class ModelIndex {
  public:
    /// NotFound or InvalidData naming folder and file.
    static Result<ModelIndex> read(const std::filesystem::path& folder);
    /// One that isn't in a folder yet: of a hub's model, by its id. It has no configs.
    static Result<ModelIndex> parse(const std::string& json, const std::string& id);

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    /// `_class_name`: "WanPipeline"; "none" when there is none.
    [[nodiscard]] std::string pipelineClass() const;
    /// The class that the index names for a component; empty when it has none (absent or null).
    [[nodiscard]] std::string classOf(const std::string& component) const;
    /// Whether a setting of the pipeline itself is there and true ("expand_timesteps").
    [[nodiscard]] bool isOn(const std::string& key) const;
    /// A component's config.json, or what a scheduler calls its own.
    [[nodiscard]] Result<nlohmann::json> config(const std::string& component,
                                                const std::string& fileName = "config.json") const;

  private:
    std::filesystem::path m_folder;
    nlohmann::json m_index;
};

}  // namespace reelgrid::families
