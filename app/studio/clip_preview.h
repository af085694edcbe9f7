#pragma once

#include <vector>

#include "core/media/frame.h"
#include "core/protocol/render_preview.h"

namespace reelgrid::studio {

/// What a render's latents look like, as pictures that a tile can show.
struct ClipPreview {
    int step = 0, steps = 0;
    std::vector<media::FramePtr> frames;  ///< of the whole clip, evenly spaced; empty: there is none

    /// At this place of the clip, 0 to 1.
    [[nodiscard]] media::FramePtr frameAt(double share) const;
};

ClipPreview clipPreview(const protocol::RenderPreview& preview);

}  // namespace reelgrid::studio
