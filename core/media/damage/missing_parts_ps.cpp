#include <bit>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"

namespace reelgrid::media {
namespace {

constexpr std::string_view kStartCode("\0\0\1", 3);
constexpr std::int64_t kStartCodeBytes = 4;
/// What start codes end with (ISO/IEC 13818-1, 2.5.3): of a pack, of the stream's end, of the first that has
/// a length behind it, and of video.
constexpr int kPackCode = 0xBA, kEndCode = 0xB9, kFirstOfLength = 0xBB;
constexpr int kFirstVideo = 0xE0, kLastVideo = 0xEF;

bool isOfVideoCd(const std::filesystem::path& path) {
    return ByteWalk(path).text(4) == "RIFF";
}

struct PackHead {
    bool isSound = false;    ///< of MPEG-1 or MPEG-2
    std::int64_t clock = 0;  ///< 33 bits, in units of 1/90000 s
};

/// Goes behind the head of a pack whose start code was read (2.5.3.3; ISO/IEC 11172-1, 2.4.3.2).
PackHead readPack(ByteWalk& file) {
    constexpr int kRestOfMpeg1 = 3, kRestOfMpeg2 = 4, kStuffing = 7;
    const std::uint64_t bits = std::uint64_t(file.number(5, std::endian::big));
    const auto clock = [&](int first, int second, int third) {
        constexpr std::uint64_t kThree = 7, kFifteen = 0x7FFF;
        return std::int64_t((bits >> first & kThree) << 30 | (bits >> second & kFifteen) << 15 |
                            (bits >> third & kFifteen));
    };
    const std::uint64_t mark = bits >> 36;  // of 40 bits
    if (mark == 2) {
        file.skip(kRestOfMpeg1);
        return {true, clock(33, 17, 1)};
    }
    file.skip(kRestOfMpeg2);
    file.skip(file.byte() & kStuffing);
    return {mark >> 2 == 1, clock(35, 19, 3)};
}

/// From pack to pack, and through what they hold.
class ProgramWalk {
  public:
    ProgramWalk(const std::filesystem::path& path, bool hasNalUnits)
        : m_file(path), m_hasNalUnits(hasNalUnits) {}

    int gaps() {
        findPack();
        while (m_file.at() < m_file.size()) {
            const std::string code = m_file.text(4);
            if (m_file.isPastEnd()) break;
            if (code.starts_with(kStartCode) ? skipPart(static_cast<unsigned char>(code[3]))
                                             : isPadding(code))
                continue;
            ++m_gaps;
            findPack();
        }
        return m_gaps;
    }

  private:
    /// Goes behind the head of the next pack.
    void findPack() {
        while (m_file.findText(std::string_view("\0\0\1\xBA", 4)))
            if (takePack()) return;
    }

    /// Whether it is one; a clock that goes back is a gap, but after a day, when it begins again. That of a
    /// DVD does so at each cell.
    bool takePack() {
        constexpr std::int64_t kHalf = std::int64_t{1} << 32;
        m_pack = m_file.at() - kStartCodeBytes;
        const PackHead pack = readPack(m_file);
        if (!pack.isSound) return false;
        if (m_hasNalUnits && pack.clock < m_clock && m_clock - pack.clock < kHalf) ++m_gaps;
        m_clock = pack.clock;
        return true;
    }

    /// A few zeros up to a start code or the end, as those at the end of Video CD's packs, or whole sectors
    /// of it, which keep its rate; many others are packs that were overwritten.
    bool isPadding(std::string_view code) {
        constexpr std::int64_t kMostPadding = 1024, kSectorOfVideoCd = 2324;
        if (code != std::string_view("\0\0\0\0", 4)) return false;
        const std::int64_t begin = m_file.at();
        int next = 0;
        while (m_file.at() < m_file.size() && (next = m_file.byte()) == 0) continue;
        // Two of the code's own zeros are among them.
        const std::int64_t end = next == 0 ? m_file.at() : m_file.at() - 3;
        if (end - begin > kMostPadding && (end - m_pack) % kSectorOfVideoCd != 0) return false;
        return next == 0 || (next == 1 && skipPart(m_file.byte()));
    }

    /// Goes behind a part whose start code was read; whether it is one.
    bool skipPart(int type) {
        constexpr std::size_t kMostZeros = 63;
        if (type == kPackCode) return takePack();
        if (type == kEndCode) return true;
        if (type < kFirstOfLength) return false;
        const auto bytes = int(m_file.number(2, std::endian::big));
        const bool isVideo = type >= kFirstVideo && type <= kLastVideo;
        if (!isVideo || !m_hasNalUnits) {
            m_file.skip(bytes);
        } else if (bytes == 0) {  // whoever writes them says no length
            findPack();
        } else if (m_file.text(bytes).find(std::string(kMostZeros + 1, '\0')) != std::string::npos) {
            ++m_gaps;
        }
        return true;
    }

    ByteWalk m_file;
    bool m_hasNalUnits;
    int m_gaps = 0;
    std::int64_t m_clock = 0, m_pack = 0;  ///< of the pack before, and its place
};

}  // namespace

int gapsOfProgramStream(const std::filesystem::path& path, bool hasNalUnits) {
    return isOfVideoCd(path) ? 0 : ProgramWalk(path, hasNalUnits).gaps();
}

std::optional<std::string> missingPartsOfProgramStream(const std::filesystem::path& path) {
    if (isOfVideoCd(path)) return std::nullopt;
    auto missing = missingBeginOfStartCodes(path);
    return missing ? missing : unwrittenEnd(path);
}

}  // namespace reelgrid::media
