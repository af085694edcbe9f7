#include "core/media/damage/mp4_chunks.h"

#include <algorithm>
#include <bit>

namespace reelgrid::media {
namespace {

constexpr std::int64_t kFlagBytes = 4;  // a box's version and flags

/// So many chunks of so many samples, each number below 2³²; more than any file has all count as one number.
std::int64_t product(std::int64_t chunks, std::int64_t each) {
    constexpr std::int64_t kMany = std::int64_t{1} << 30;
    return std::min(chunks, kMany) * std::min(each, kMany);
}

}  // namespace

void Mp4Chunks::readRuns(ByteWalk& file, std::int64_t bytes) {
    constexpr std::int64_t kMost = std::int64_t{1} << 60, kDescription = 4, kRun = 12;
    file.skip(kFlagBytes);
    const std::int64_t runs = file.number(4, std::endian::big);
    m_areSound = m_areSound && runs * kRun <= bytes;
    for (std::int64_t i = 0; i < runs && m_areSound; ++i) {
        const std::int64_t first = file.number(4, std::endian::big);
        m_areSound = i == 0 ? first == 1 : first > m_first;
        m_before = std::min(kMost, m_before + product(first - m_first, m_each));
        m_first = first;
        m_each = file.number(4, std::endian::big);
        file.skip(kDescription);
    }
}

void Mp4Chunks::readPlaces(ByteWalk& file) {
    file.skip(kFlagBytes);
    m_chunks = file.number(4, std::endian::big);
}

std::optional<std::int64_t> Mp4Chunks::samples() const {
    const std::int64_t ofLastRun = m_chunks + 1 - m_first;
    if (!m_areSound || ofLastRun < 0) return std::nullopt;
    return m_before + product(ofLastRun, m_each);
}

}  // namespace reelgrid::media
