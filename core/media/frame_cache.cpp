#include "core/media/frame_cache.h"

#include <algorithm>

namespace reelgrid::media {

std::size_t bytesOf(const YuvFrame& frame) {
    return frame.y.bytes.size() + frame.u.bytes.size() + frame.v.bytes.size();
}

FramePtr FrameCache::find(int index) {
    const auto found = std::ranges::find(m_frames, index, [](const FramePtr& frame) { return frame->index; });
    if (found == m_frames.end()) return nullptr;
    m_frames.splice(m_frames.begin(), m_frames, found);
    return m_frames.front();
}

void FrameCache::add(FramePtr frame) {
    if (find(frame->index)) return;
    m_bytes += bytesOf(*frame);
    m_frames.push_front(std::move(frame));
    while (m_bytes > m_maxBytes && m_frames.size() > 1) {
        m_bytes -= bytesOf(*m_frames.back());
        m_frames.pop_back();
    }
}

}  // namespace reelgrid::media
