#pragma once

#include <filesystem>
#include <limits>
#include <optional>

#include "core/base/result.h"
#include "core/media/frame.h"
#include "core/metrics/clip_metrics.h"

namespace reelgrid::comparison {

/// Measures on decoded clips what their renders left out: temporal scores, and the drift from a reference
/// clip, whose frames are kept from one clip to the next. One thread at a time; blocks.
class ClipMeasurer {
  public:
    /// `reference` may be empty: then no drift is measured. Clips of more than `mostBytes` of RGB frames are
    /// refused.
    explicit ClipMeasurer(std::filesystem::path reference,
                          std::size_t mostBytes = std::numeric_limits<std::size_t>::max());

    /// Fills in what `known` lacks; true when there was something to add. A clip of another size than the
    /// reference gets no drift, nor does the reference itself.
    Result<bool> complete(const std::filesystem::path& clip, metrics::ClipMetrics& known);

  private:
    Result<const media::RgbVideo*> referenceFrames();

    std::filesystem::path m_reference;
    std::size_t m_mostBytes;
    std::optional<media::RgbVideo> m_frames;
};

}  // namespace reelgrid::comparison
