#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace reelgrid {

/// The name of what process `process` is writing for `finalPath`, in the same folder:
/// ".clip.mp4.partial-<process>-<number>.mp4". Hidden, so that no pattern of clips takes what a killed
/// process left; the extension is kept for writers that look at it.
std::string pendingName(const std::filesystem::path& finalPath, pid_t process, unsigned number);

/// How all such names for `finalPath` begin.
std::string pendingNameStart(const std::filesystem::path& finalPath);

/// The process in such a name; 0 for any other name. Names that aren't hidden, as they once were,
/// count too.
pid_t processOfPendingName(std::string_view name);

}  // namespace reelgrid
