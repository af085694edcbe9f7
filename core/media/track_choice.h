#pragma once

namespace reelgrid::media {

/// Which of a file's video tracks is shown: the one that it marks as the default, else the first.
struct TrackChoice {
    int number = 1;  ///< from 1
    int of = 1;
};

}  // namespace reelgrid::media
