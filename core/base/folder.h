#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace reelgrid {

/// What a folder holds, in no order; never throws. NotFound when there is no such folder; else Io, also where
/// reading stopped halfway (a network's file system, say), at which a range-for over directory_iterator
/// throws.
Result<std::vector<std::filesystem::directory_entry>> entriesOf(const std::filesystem::path& folder);

/// The folder's name, for a line that lists where something was looked for; with why, where it can't be read.
std::string nameOfLookedAt(const std::filesystem::path& folder);

/// The folders in one, those that changed last first; none where it can't be read. Never throws.
std::vector<std::filesystem::path> foldersNewestFirst(const std::filesystem::path& folder);

/// Where temporary files go ($TMPDIR, else /tmp). Io, naming it and what named it.
Result<std::filesystem::path> folderOfTemporaryFiles();

}  // namespace reelgrid
