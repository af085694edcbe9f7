#pragma once

namespace reelgrid::media {

/// Frames that a clip's file has or speaks of and that aren't shown, or may be shown twice.
struct MissingFrames {
    int leftOut = 0;         ///< that it lists, as before an edit's start
    int withoutPicture = 0;  ///< packets, as those of a recording that begins within a group of pictures
    int behindGaps = 0;      ///< packets before which parts of the stream are missing, as its counters tell
    int atOneTime = 0;       ///< packets with the time of another one, as those that a file has twice
    double saidSeconds = 0;  ///< how long it says that it lasts, where its frames end well before; else 0

    bool operator==(const MissingFrames&) const = default;
};

}  // namespace reelgrid::media
