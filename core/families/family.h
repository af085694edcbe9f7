#pragma once

#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/families/model_index.h"
#include "core/families/model_info.h"

namespace reelgrid::families {

/// What a model family is, without libtorch: catalog, checks, command line and studio iterate these. Its
/// model code is in core/models/<family>/, its loader the FamilyModel there.
struct Family {
    std::string_view name;           ///< "wan2.1"
    std::string_view title;          ///< "Wan 2.1 text-to-video"
    std::string_view pipelineClass;  ///< that this version runs: "WanPipeline"
    /// Folders that a model must have, in the order in which they are listed.
    std::span<const std::string_view> components;
    bool (*recognises)(const ModelIndex& index);
    /// Everything of ModelInfo but id, title, folder and components. Unsupported or InvalidData naming what
    /// is wrong.
    Result<ModelInfo> (*describe)(const ModelIndex& index);
};

/// All of them; the first that recognises a folder describes it.
std::span<const Family> families();

}  // namespace reelgrid::families
