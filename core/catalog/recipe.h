#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/render_request.h"

namespace reelgrid::catalog {

/// How a model is rendered in few steps: a LoRA with the steps, the guidance and the sampler that it was
/// distilled for.
struct Recipe {
    std::string name;    ///< as manifests and labels have it
    std::string title;   ///< for people
    std::string family;  ///< families::ModelInfo::family that it is for; empty: any
    /// The fields that it says something of. A LoRA is a file, or a file of the hub: OWNER/NAME/FILE.
    protocol::RenderRequest fields;
};

/// Those that come with the program, by name.
std::vector<std::string> recipeNames();

/// By name, or from a .json file. BadUsage where there is none of that name, and for what a file says, naming
/// file, key and value; Io where it can't be read.
Result<Recipe> findRecipe(const std::string& nameOrFile);

/// Its values where the request says nothing, and its name.
void apply(const Recipe& recipe, protocol::RenderRequest& request);

}  // namespace reelgrid::catalog
