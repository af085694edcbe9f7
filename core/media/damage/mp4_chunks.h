#pragma once

#include <cstdint>
#include <optional>

#include "core/media/damage/byte_walk.h"

namespace reelgrid::media {

/// How many samples a track has by the lists of its chunks, each of which is one place in the file (ISO/IEC
/// 14496-12, 8.7.4 and 8.7.5).
class Mp4Chunks {
  public:
    /// Of the box (stsc) of so many bytes whose head the file has behind it.
    void readRuns(ByteWalk& file, std::int64_t bytes);
    /// Likewise (stco, co64).
    void readPlaces(ByteWalk& file);
    /// Nothing where the lists contradict each other.
    [[nodiscard]] std::optional<std::int64_t> samples() const;

  private:
    std::int64_t m_before = 0;             ///< samples of the chunks before the last run
    std::int64_t m_first = 1, m_each = 0;  ///< of the last run: number of its first chunk, samples of a chunk
    std::int64_t m_chunks = 0;
    bool m_areSound = true;
};

}  // namespace reelgrid::media
