#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/families/family.h"

namespace reelgrid::catalog {

using BuiltInModel = families::Miniature;

/// Those of all families, in the order in which they are listed. A build without a miniature's folder doesn't
/// have it: its name then means nothing.
std::span<const BuiltInModel> builtInModels();

/// The one of that name; null where there is none, or its folder isn't there.
const BuiltInModel* findBuiltIn(std::string_view name);

/// Its folder. Empty where there are no resources.
std::filesystem::path folderOf(const BuiltInModel& model);

/// Its picture; empty where it has none.
std::filesystem::path pictureOf(const BuiltInModel& model);

/// "demo, demo-i2v": those whose folders are there.
std::string builtInNames();

}  // namespace reelgrid::catalog
