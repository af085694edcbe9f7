#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/media/frame.h"
#include "core/media/missing_frames.h"
#include "core/media/track_choice.h"
#include "core/media/unequal_frames.h"

namespace reelgrid::media {

/// What is known of a clip without decoding its pictures. The presentation times are exact (from an index of
/// the packets), so variable frame rates and late start times are seen as they are.
struct ClipInfo {
    int width = 0;  ///< as shown: turned and with square samples
    int height = 0;
    Rational sampleAspect{1, 1};       ///< of the coded samples, width to height before turning
    Rational fps;                      ///< the average rate
    std::vector<double> frameSeconds;  ///< presentation time of each frame, ascending, first is 0
    double durationSeconds = 0;        ///< end of the last frame
    std::string codec;
    std::optional<UnequalFrames> unequal{};  ///< absent: its frames are equally long
    MissingFrames missing{};
    TrackChoice track{};

    [[nodiscard]] int frameCount() const { return int(frameSeconds.size()); }
    /// The frame shown at time t: the last one whose presentation time is ≤ t, clamped to the clip's first
    /// and last (for a constant rate that is ⌊t·fps⌋).
    [[nodiscard]] int frameAt(double seconds) const;
};

/// What of a clip isn't as one expects: "its frames last from 50 to 70 ms each; they are taken at 17
/// frames/s", "of its 2 video tracks number 1 is taken", "3 of the 30 frames that it lists are left out, …".
std::vector<std::string> remarksOn(const ClipInfo& info);

/// A clip opened for exact random access by frame number. Not thread-safe: one thread at a time.
class Clip {
  public:
    /// Fails with NotFound or InvalidData, naming the file and what is wrong with it.
    static Result<std::unique_ptr<Clip>> open(const std::filesystem::path& path);
    virtual ~Clip() = default;

    [[nodiscard]] virtual const ClipInfo& info() const = 0;

    /// Exactly frame `index` (0-based, presentation order). Reading forward is one decode a frame; any other
    /// jump seeks to the key frame before it and decodes up to it.
    virtual Result<FramePtr> frame(int index) = 0;
};

}  // namespace reelgrid::media
