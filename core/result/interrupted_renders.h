#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

#include "core/result/unfinished_render.h"

namespace reelgrid::result {

/// A render that nobody makes any more and that left no clip.
struct InterruptedRender {
    std::filesystem::path comparison;  ///< the folder of the comparison that it is a part of
    std::filesystem::path clip;        ///< where it will be: beside its folder, wherever that was moved to
    /// stepsKept is 0 where the file of the steps is gone; the request's output is `clip`, and it asks for no
    /// other file to be written.
    UnfinishedRender left;
};

/// Those among a comparison's clips: in the folder itself and in its results/, by name. One that is being
/// written now, or whose story can't be read, is none. Blocks on the disk.
std::vector<InterruptedRender> interruptedIn(const std::filesystem::path& comparison);

/// Those of every comparison in a results folder, the newest folder first.
std::vector<InterruptedRender> interruptedBelow(const std::filesystem::path& results,
                                                const std::stop_token& stop = {});

/// Deletes what is kept of one. Io where another process writes it now.
Result<void> discardInterrupted(const std::filesystem::path& clip);

}  // namespace reelgrid::result
