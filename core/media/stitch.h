#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/media/containers.h"
#include "core/media/frame.h"
#include "core/media/labelled_clip.h"

namespace reelgrid::media {

/// What of several clips is shown together: what is due at one time, or the frames of one number.
enum class ClipSync { ByTime, ByIndex };

struct StitchOptions {
    int columns = 0;                   ///< 0: ⌈√n⌉
    Rational fps{0, 1};                ///< 0: the highest of the clips' (at most 50 in a GIF)
    int fontSize = 36;                 ///< pixels, smaller where the clips are small; 0: no labels
    std::filesystem::path fontFile{};  ///< empty: DejaVu Sans
    ClipSync sync = ClipSync::ByTime;
    int threads = 0;  ///< of the encoder; 0: its choice
    Fidelity fidelity = Fidelity::Usual;
    int soundOf = -1;  ///< the clip whose sound is kept, where it has any; else the first that has
    /// Told before the first frame is made: which clips' frames aren't equally long, by their files, and
    /// which clip makes the grid much longer than all others.
    std::function<void(const std::string&)> remarkOnTiming{};
};

struct StitchedGrid {
    int width = 0;
    int height = 0;
    int columns = 0;
    Rational fps;
    int frameCount = 0;
    std::filesystem::path soundOf{};  ///< the clip whose sound the grid has; empty: it has none
    std::string soundRemark{};        ///< why a clip's sound was left out; empty: none was
};

/// Called on the caller's thread after each frame of the grid.
using StitchProgress = std::function<void(int framesDone, int frameCount)>;

/// Writes the clips, in the order given, as one labelled grid (see grid_plan.h for geometry and timing) to an
/// .mp4, .webm, .gif or .mkv. Blocks until it is written; a stop request ends it within a frame with
/// Cancelled. After any error there is no file of that name, or the one that was there before. When all YUV
/// clips share one matrix the grid keeps it, so that their samples are copied untouched; else it is BT.709.
/// An .mkv's grid is RGB. One clip's sound goes into the grid as it is in its file, where the container takes
/// it. Where the container has tags, its comment says which clips' files were stitched (clipsOfGrid()).
Result<StitchedGrid> stitch(std::span<const LabelledClip> clips, const std::filesystem::path& output,
                            const StitchOptions& options = {}, std::stop_token stop = {},
                            const StitchProgress& progress = {});

/// SHA-256 of the clips' files that a grid was stitched from, in the grid's order, as its comment says. Empty
/// where it has none of ours. Reads the header.
std::vector<std::string> clipsOfGrid(const std::filesystem::path& grid);

}  // namespace reelgrid::media
