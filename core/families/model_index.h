#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/families/model_layout.h"
#include "core/families/model_source.h"

namespace reelgrid::families {

/// A model's folder as a family looks at it: model_index.json, and the configs that it asks for. A folder or
/// file of another form (model_layout.h) is presented in the same words. Nothing here reads weights.
class ModelIndex {
  public:
    /// NotFound, InvalidData or Unsupported naming folder and file.
    static Result<ModelIndex> read(const std::filesystem::path& base);
    /// With further parts, each a component whose class is its config.json's `_class_name`, or "file".
    static Result<ModelIndex> read(const ModelSource& source);
    /// One that isn't in a folder yet: of a hub's model, by its id. It has no configs.
    static Result<ModelIndex> parse(const std::string& json, const std::string& id);
    /// Further components that come from elsewhere.
    void name(const std::string& component) { m_index[component] = {"reelgrid", "file"}; }

    /// The base, which may be a file.
    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }
    /// `_class_name`: "WanPipeline"; "none" when there is none.
    [[nodiscard]] std::string pipelineClass() const;
    /// The class that the index names for a component; empty when it has none (absent or null).
    [[nodiscard]] std::string classOf(const std::string& component) const;
    /// Whether a setting of the pipeline itself is there and true ("expand_timesteps").
    [[nodiscard]] bool isOn(const std::string& key) const;
    /// A component's config.json, or what a scheduler calls its own. Its `_class_name` is the index's where
    /// that names a class of diffusers, which loads by it whatever the config says.
    [[nodiscard]] Result<nlohmann::json> config(const std::string& component,
                                                const std::string& fileName = "config.json") const;

    /// Where a component is: its folder, or the file or folder that stands for it; empty where it needs none.
    [[nodiscard]] std::filesystem::path pathOf(const std::string& component) const;
    /// The regular files that a component is read from (component_files.h), sorted; none where it is missing.
    [[nodiscard]] std::vector<std::filesystem::path> filesOf(const std::string& component) const;
    /// The contents of model_index.json, or what they would be.
    [[nodiscard]] const nlohmann::json& json() const { return m_index; }
    /// model_index.json; empty in a layout without one.
    [[nodiscard]] std::filesystem::path file() const;

  private:
    static Result<ModelIndex> readBase(const ModelSource& source);
    /// Whether a file in a component's folder is the component's.
    [[nodiscard]] bool isOf(const std::string& component, const std::string& fileName) const;

    [[nodiscard]] Result<void> add(const ModelPart& part);

    std::filesystem::path m_folder;
    nlohmann::json m_index;
    std::optional<ModelLayout> m_layout;                   ///< of other forms than diffusers'
    std::map<std::string, std::filesystem::path> m_parts;  ///< components that don't come from the base
};

}  // namespace reelgrid::families
