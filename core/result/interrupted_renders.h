#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/result/unfinished_render.h"

namespace reelgrid::result {

/// A render that nobody makes any more and that left no clip.
struct InterruptedRender {
    std::filesystem::path comparison;  ///< the folder of the comparison that it is a part of
    std::filesystem::path clip;        ///< where it will be: beside its folder, wherever that was moved to
    /// stepsKept is what the file of the steps holds, 0 where it can't be gone on from; the request's output
    /// is `clip`, and it asks for no other file to be written.
    UnfinishedRender left;
    /// Why it can't go on although its note says that steps are kept, or why it needn't; empty: nothing.
    std::string obstacle{};
};

/// What is left of a clip's render, whose process ended or lets go of it now; nothing where no note of it can
/// be read. Reads the file of steps whole. Blocks on the disk.
std::optional<InterruptedRender> interruptedRender(const std::filesystem::path& clip);

/// Those among a comparison's clips: in the folder itself and in its results/, by name. One that is being
/// written now, or whose note can't be read, is none. Reads the files of steps whole. Blocks on the disk.
std::vector<InterruptedRender> interruptedIn(const std::filesystem::path& comparison);

/// Those of every comparison in a results folder, the newest folder first.
std::vector<InterruptedRender> interruptedBelow(const std::filesystem::path& results,
                                                const std::stop_token& stop = {});

/// Deletes what is kept of one. Io where another process writes it now.
Result<void> discardInterrupted(const std::filesystem::path& clip);

}  // namespace reelgrid::result
