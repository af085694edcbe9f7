#pragma once

#include <filesystem>
#include <optional>

#include "core/base/result.h"

namespace reelgrid {

/// What is wrong with a symbolic link that leads to nothing: "FILE: is a link to ../../blobs/abc, which isn't
/// there" (NotFound), or why it can't be followed (Io: links in a circle, no permission). Nothing of anything
/// else, a name that isn't there included. A hub's cache is made of links, and its blobs may be deleted.
std::optional<Error> faultOfLink(const std::filesystem::path& path);

/// The same, and what is neither a file nor a folder (InvalidData).
std::optional<Error> faultOfPlace(const std::filesystem::path& path);

}  // namespace reelgrid
