#pragma once

#include <sys/types.h>

#include <filesystem>

namespace reelgrid::jobs {

/// Removes what a killed worker left unfinished of one render: the PendingFile temporaries of process `pid`
/// for `clip` and within its result folder, and that folder if nothing else is in it. The clip itself and
/// finished companions stay.
void removePartialFiles(const std::filesystem::path& clip, pid_t pid);

}  // namespace reelgrid::jobs
