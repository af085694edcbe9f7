extern "C" {
#include <libavutil/crc.h>
}

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"

namespace reelgrid::media {
namespace {

/// An EBML number of 1 to 8 bytes; −1 for a size that wasn't known when it was written, −2 for no number.
std::int64_t ebmlNumber(ByteWalk& file, bool keepMark) {
    const int first = file.byte();
    if (first <= 0) return -2;
    int length = 1;
    while ((first & (0x80 >> (length - 1))) == 0) ++length;
    std::int64_t value = keepMark ? first : first & (0xff >> length);
    const int valueBits = 0xff >> length;
    bool allOnes = (first & valueBits) == valueBits;
    for (int i = 1; i < length; ++i) {
        const int next = file.byte();
        if (next < 0) return -2;
        allOnes &= next == 0xff;
        value = value << 8 | next;
    }
    return allOnes && !keepMark ? -1 : value;
}

constexpr std::int64_t kEbml = 0x1A45DFA3;
/// What these hold is gone through, too.
constexpr std::int64_t kSegment = 0x18538067, kCluster = 0x1F43B675;
constexpr std::int64_t kTracks = 0x1654AE6B, kTrackEntry = 0xAE, kTrackNumber = 0xD7, kTrackType = 0x83;
constexpr std::int64_t kSimpleBlock = 0xA3, kBlockGroup = 0xA0, kBlock = 0xA1;
/// All elements of a segment, of a cluster and of both (RFC 9559, 5.1).
constexpr std::array<std::int64_t, 8> kOfSegment{kCluster,   0x1C53BB6B, 0x114D9B74, 0x1549A966,
                                                 0x1654AE6B, 0x1254C367, 0x1043A770, 0x1941A469};
constexpr std::array<std::int64_t, 7> kOfCluster{0xE7, kSimpleBlock, kBlockGroup, 0xA7, 0xAB, 0x5854, 0xAF};
constexpr std::int64_t kChecksum = 0xBF, kChecksumBytes = 4;
constexpr std::array<std::int64_t, 2> kOfBoth{0xEC, kChecksum};
/// Those of a cluster's head: its time, its own place and the size of the one before.
constexpr std::array<std::int64_t, 3> kOfClusterHead{0xE7, 0xA7, 0xAB};

struct Element {
    std::int64_t place = 0, id = 0, size = 0;
};

Element elementAt(ByteWalk& file) {
    Element element{.place = file.at()};
    element.id = ebmlNumber(file, true);
    element.size = ebmlNumber(file, false);
    return element;
}

/// Whether the checksum that an element of `size` bytes may begin with is that of the bytes behind it (RFC
/// 8794, 11.3.1); the file stands behind the element then. Nothing, and the file where it was, if there is
/// none.
std::optional<bool> hasRightChecksum(ByteWalk& file, std::int64_t size) {
    constexpr std::int64_t kElement = 6, kPiece = 1 << 16;
    if (size < kElement || file.at() + size > file.size() || file.peek(2) != "\xBF\x84") return std::nullopt;
    file.skip(2);
    const std::int64_t stored = file.number(4, std::endian::little);
    std::uint32_t sum = UINT32_MAX;
    for (std::int64_t rest = size - kElement; rest > 0; rest -= std::min(rest, kPiece)) {
        const std::string bytes = file.text(int(std::min(rest, kPiece)));
        sum = av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), sum,
                     reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    return (sum ^ UINT32_MAX) == stored;
}

struct Track {
    std::int64_t number = 0;
    bool isVideo = false;
};
/// A segment's, in their order.
using Tracks = std::vector<Track>;

/// Of the list that lies there; none where it is damaged.
Tracks tracksOf(const std::filesystem::path& path, std::int64_t begin, std::int64_t bytes) {
    constexpr std::int64_t kMostBytes = 8, kVideo = 1;
    Tracks tracks;
    ByteWalk file(path);
    file.skip(begin);
    while (file.at() < begin + bytes && !file.isPastEnd()) {
        const Element element = elementAt(file);
        if (element.id == kTrackEntry) {  // whose elements come next
            tracks.emplace_back();
            continue;
        }
        if (element.size < 0 || element.size > begin + bytes - file.at()) return {};
        const bool isNumber = element.id == kTrackNumber, isType = element.id == kTrackType;
        if ((!isNumber && !isType) || element.size > kMostBytes) {
            file.skip(element.size);
            continue;
        }
        const std::int64_t value = file.number(int(element.size), std::endian::big);
        if (tracks.empty()) continue;
        if (isNumber)
            tracks.back().number = value;
        else
            tracks.back().isVideo = value == kVideo;
    }
    return tracks;
}

/// Whether the frames of a block whose flags were read end within it (RFC 9559, 10.3). Otherwise FFmpeg
/// leaves out the rest of its cluster.
bool holdsLaces(ByteWalk& file, int lacing, std::int64_t end) {
    constexpr int kXiph = 1, kEqual = 2, kMostOfXiph = 255, kBitsOfDigit = 7, kMostDigits = 8;
    const int frames = file.byte() + 1;
    std::int64_t all = 0, last = 0;
    for (int i = 1; i < frames && lacing != kEqual && file.at() <= end; ++i) {
        if (lacing == kXiph) {
            int part = 0;
            do all += part = file.byte();
            while (part == kMostOfXiph);
            continue;
        }
        // The first size, and by how much others differ from the one before.
        const std::int64_t begin = file.at(), value = ebmlNumber(file, false);
        const int digits = int(std::min<std::int64_t>(file.at() - begin, kMostDigits));
        last = i == 1 ? value : last + value - ((std::int64_t{1} << (kBitsOfDigit * digits - 1)) - 1);
        if (value < 0 || last < 0 || last > file.size()) return false;
        all += last;
    }
    const std::int64_t room = end - file.at();
    return frames > 0 && all <= room && (lacing != kEqual || room % frames == 0);
}

/// From element to element; what clusters hold is gone through, too.
class MatroskaWalk {
  public:
    explicit MatroskaWalk(const std::filesystem::path& path)
        : m_path(path), m_file(path), m_end(m_file.size()) {}

    /// Of the file's video track with that place among them, 0 the first; whatever damage is behind them.
    std::int64_t blocksOf(int video) {
        static_cast<void>(damage());
        for (const Track& track : m_tracks)
            if (track.isVideo && video-- == 0) return m_blocks[track.number];
        return 0;
    }

    std::optional<std::string> damage() {
        while (m_file.at() < m_file.size()) {
            if (m_isWithin && m_file.at() >= m_end) {
                m_isWithin = false;
                m_isBehind = true;
            }
            const Element element = elementAt(m_file);
            // Another file may follow, and whatever somebody appends.
            if (m_isBehind && element.id != kEbml && element.id != kSegment) return std::nullopt;
            if (m_file.isPastEnd()) return bytesMissing(m_file);
            if (!isPossible(element)) return noPart(element.place, "element of Matroska");
            if (auto found = damageOf(element)) return found;
            if (m_file.isPastEnd()) return bytesMissing(m_file);
        }
        return std::nullopt;
    }

  private:
    static constexpr std::int64_t kNoEnd = std::numeric_limits<std::int64_t>::max();
    static constexpr std::int64_t kMostNumber = 8;       ///< bytes
    static constexpr std::int64_t kTime = 2;             ///< bytes of a block's, before its flags
    static constexpr int kLacing = 6;                    ///< the flags' bits
    static constexpr std::int64_t kShortIds = 0xFFFFFF;  ///< longer ones are those of a segment's parts

    [[nodiscard]] bool isPossible(const Element& element) {
        constexpr std::int64_t kFar = std::int64_t{1} << 50;  // more than any element has
        constexpr std::int64_t kMostId = 0xFFFFFFFF;          // of four bytes
        const auto& [place, id, size] = element;
        const bool isOfSegment = isOneOf(id, kOfSegment), isOfCluster = isOneOf(id, kOfCluster);
        const bool isHead = id == kEbml || id == kSegment;
        const bool isKnown = isHead || isOfSegment || isOfCluster || isOneOf(id, kOfBoth);
        if (id < 0 || id > kMostId || size < -1 || size > kFar || (!isKnown && (size < 0 || !m_isWithin)))
            return false;
        if (m_isWithin && m_end < m_file.size() && m_file.at() + size > m_end) return false;
        // One of unknown size ends where a part of the segment begins.
        if (m_clusterEnd == kNoEnd && id > kShortIds) m_clusterEnd = 0;
        const bool isInCluster = place < m_clusterEnd;
        if (isInCluster && m_clusterEnd < m_file.size() && m_file.at() + size > m_clusterEnd) return false;
        m_hasBlocks = isInCluster && (m_hasBlocks || id == kSimpleBlock || id == kBlockGroup);
        if (isInCluster && m_hasBlocks && isOneOf(id, kOfClusterHead)) return false;
        if (isOneOf(id, kOfClusterHead) && size > kMostNumber) return false;
        if (id == kChecksum && size != kChecksumBytes) return false;
        // Readers pass over an element that they don't know, which mustn't be one whose id was damaged.
        if (!isKnown) return isInCluster ? !isLikeBlock() : !isLikeCluster();
        return isInCluster ? !isHead && !isOfSegment : !isOfCluster;
    }

    /// Whether what follows is the number of a track, as in a block.
    [[nodiscard]] bool isLikeBlock() {
        constexpr int kOneByte = 0x80;
        const int first = static_cast<unsigned char>(m_file.peek(1)[0]);
        return (first & kOneByte) != 0 &&
               std::ranges::find(m_tracks, first & ~kOneByte, &Track::number) != m_tracks.end();
    }
    /// Whether what follows is a cluster's time, or a checksum.
    [[nodiscard]] bool isLikeCluster() {
        const std::string begin = m_file.peek(2);
        return begin[0] == '\xE7' || begin == "\xBF\x84";
    }

    /// Goes behind the element, or behind the head of one that is gone through.
    std::optional<std::string> damageOf(const Element& element) {
        const auto& [place, id, size] = element;
        if (id == kTracks) m_tracks = tracksOf(m_path, m_file.at(), size);
        if (id == kSegment) {
            m_isWithin = true;
            m_isBehind = false;
            m_end = size < 0 ? m_file.size() : m_file.at() + size;
            m_clusterEnd = 0;
            m_tracks.clear();
            return m_end > m_file.size() ? std::optional(bytesMissing(m_file.size(), m_end)) : std::nullopt;
        }
        if (const auto right = id > kShortIds ? hasRightChecksum(m_file, size) : std::nullopt)
            return *right ? std::nullopt
                          : std::optional("the element at byte " + std::to_string(place) +
                                          " has another checksum than its bytes");
        if (id == kCluster) {
            m_clusterEnd = size < 0 ? kNoEnd : m_file.at() + size;
            m_hasBlocks = false;
            return std::nullopt;
        }
        const std::int64_t next = m_file.at() + std::max<std::int64_t>(size, 0);
        std::optional<std::string> found;
        if (next <= m_file.size() && id == kSimpleBlock) found = damageOfBlock(element);
        if (next <= m_file.size() && id == kBlockGroup) found = damageOfGroup(element, next);
        if (!found) m_file.skip(next - m_file.at());
        return found;
    }

    std::optional<std::string> damageOfBlock(const Element& block) {
        const std::int64_t end = m_file.at() + block.size;
        const std::int64_t track = ebmlNumber(m_file, false);
        const auto listed = std::ranges::find(m_tracks, track, &Track::number);
        if (!m_tracks.empty() && listed == m_tracks.end())
            return "the block at byte " + std::to_string(block.place) + " is of no track that it lists";
        const bool isVideo = listed != m_tracks.end() && listed->isVideo;
        m_file.skip(kTime);
        const int lacing = (m_file.byte() & kLacing) >> 1;
        if (m_file.at() < end && listed != m_tracks.end()) ++m_blocks[track];
        if (lacing == 0 || (!isVideo && holdsLaces(m_file, lacing, end))) return std::nullopt;
        return "the block at byte " + std::to_string(block.place) + " has several frames, which " +
               (isVideo ? "video never has" : "go beyond it");
    }

    std::optional<std::string> damageOfGroup(const Element& group, std::int64_t end) {
        bool hasBlock = false;
        while (m_file.at() < end) {
            const Element element = elementAt(m_file);
            const std::int64_t next = m_file.at() + element.size;
            if (element.id < 0 || element.size < 0 || next > end)
                return noPart(element.place, "element of Matroska");
            hasBlock |= element.id == kBlock;
            if (element.id == kBlock)
                if (auto found = damageOfBlock(element)) return found;
            m_file.skip(next - m_file.at());
        }
        return hasBlock ? std::nullopt : std::optional(noPart(group.place, "group of a block"));
    }

    const std::filesystem::path& m_path;
    ByteWalk m_file;
    std::int64_t m_end;             ///< of the segment
    std::int64_t m_clusterEnd = 0;  ///< of the cluster that is gone through; kNoEnd: its size isn't known
    bool m_isWithin = false, m_isBehind = false;
    bool m_hasBlocks = false;                       ///< the cluster, so far
    std::map<std::int64_t, std::int64_t> m_blocks;  ///< that have a frame, by the track's number
    Tracks m_tracks;                                ///< empty: nobody knows them
};

}  // namespace

std::int64_t blocksOfMatroska(const std::filesystem::path& path, int video) {
    return MatroskaWalk(path).blocksOf(video);
}

std::optional<std::string> missingEndOfMatroska(const std::filesystem::path& path) {
    return MatroskaWalk(path).damage();
}

}  // namespace reelgrid::media
