#pragma once

#include <filesystem>
#include <stop_token>

#include "core/base/result.h"
#include "core/metrics/clip_metrics.h"

namespace reelgrid::comparison {

/// Measures on kept frames, else on decoded clips, what their renders left out: temporal scores, and the
/// drift from a reference clip. Clips are read part by part, so that their length costs no memory. Any
/// thread; blocks.
class ClipMeasurer {
  public:
    /// What a part of a clip and of its reference take together.
    static constexpr std::size_t kPartBytes = std::size_t{32} << 20;

    /// `reference` may be empty: then no drift is measured.
    explicit ClipMeasurer(std::filesystem::path reference, std::size_t partBytes = kPartBytes);

    /// Fills in what `known` lacks; true when there was something to add. A clip of another size than the
    /// reference gets no drift, nor does the reference itself. A stop request ends it within a part with
    /// Cancelled; `known` is then as it was.
    Result<bool> complete(const std::filesystem::path& clip, metrics::ClipMetrics& known,
                          const std::stop_token& stop = {}) const;

  private:
    [[nodiscard]] Result<metrics::ClipMetrics> measureParts(const std::filesystem::path& clip,
                                                            bool wantsDrift,
                                                            const std::stop_token& stop) const;

    std::filesystem::path m_reference;
    std::size_t m_partBytes;
};

}  // namespace reelgrid::comparison
