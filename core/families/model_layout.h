#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/families/model_source.h"

namespace reelgrid::families {

/// A model in another form than diffusers' folder, in the words of diffusers' layout.
struct ModelLayout {
    nlohmann::json index;                           ///< what model_index.json would say
    std::map<std::string, nlohmann::json> configs;  ///< each component's config.json (scheduler_config.json)
    /// Where each component is, folder or file; absent: it needs no files of its own.
    std::map<std::string, std::filesystem::path> paths;
    /// How the names of a component's files begin, where its folder holds other components' files too.
    std::map<std::string, std::vector<std::string>> fileNames;
    /// Files that a component which is one file has beside it: with another of them it is another model.
    std::map<std::string, std::vector<std::filesystem::path>> filesBeside{};
};

/// One such form.
struct LayoutReader {
    /// Whether a folder or a file of weights has this form. Damage is reported by read().
    bool (*recognises)(const std::filesystem::path& path);
    /// Of the source's base, which this form was recognised in; a part that the source names needs no place
    /// beside it. NotFound, InvalidData or Unsupported naming what is missing or wrong.
    Result<ModelLayout> (*read)(const ModelSource& source);
};

/// The reader of any family that recognises a folder or file; null for diffusers' folders and what nobody
/// knows.
const LayoutReader* layoutReaderOf(const std::filesystem::path& path);

}  // namespace reelgrid::families
