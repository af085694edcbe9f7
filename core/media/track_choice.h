#pragma once

namespace reelgrid::media {

/// Which of a file's video tracks is shown, the one that it marks as the default, else the first; and how.
struct TrackChoice {
    int number = 1;  ///< from 1
    int of = 1;
    bool isOblique = false;  ///< its display matrix is far from quarter turns: the nearest one is taken
};

}  // namespace reelgrid::media
