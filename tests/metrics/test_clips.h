#pragma once

#include "core/media/frame.h"

namespace reelgrid::metrics::test {

/// Coloured waves that move `speed` radians a frame, with noise of ±`noise` codes.
media::RgbVideo movingClip(int width, int height, int frames, double speed = 0.3, int noise = 0,
                           unsigned seed = 1);
media::RgbVideo solidClip(int width, int height, int frames, int code);

}  // namespace reelgrid::metrics::test
