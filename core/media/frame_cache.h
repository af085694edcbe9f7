#pragma once

#include <cstddef>
#include <list>

#include "core/media/frame.h"

namespace reelgrid::media {

/// The most recently used frames of a clip, up to a number of bytes (but at least one frame).
class FrameCache {
  public:
    explicit FrameCache(std::size_t maxBytes) : m_maxBytes(maxBytes) {}

    /// Null when the frame isn't here.
    FramePtr find(int index);
    void add(FramePtr frame);
    [[nodiscard]] std::size_t maxBytes() const { return m_maxBytes; }

  private:
    std::size_t m_maxBytes;
    std::size_t m_bytes = 0;
    std::list<FramePtr> m_frames;  // most recently used first
};

std::size_t bytesOf(const YuvFrame& frame);

}  // namespace reelgrid::media
