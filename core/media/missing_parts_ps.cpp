#include <bit>

#include "core/media/byte_walk.h"
#include "core/media/missing_end.h"

namespace reelgrid::media {
namespace {

constexpr std::string_view kStartCode("\0\0\1", 3);
/// What start codes end with (ISO/IEC 13818-1, 2.5.3): of a pack, of the stream's end, of the first that has
/// a length behind it, and of video.
constexpr int kPackCode = 0xBA, kEndCode = 0xB9, kFirstOfLength = 0xBB;
constexpr int kFirstVideo = 0xE0, kLastVideo = 0xEF;

bool isOfVideoCd(const std::filesystem::path& path) {
    return ByteWalk(path).text(4) == "RIFF";
}

/// Goes behind the head of a pack whose start code was read; whether it is one of MPEG-1 or MPEG-2.
bool skipPack(ByteWalk& file) {
    constexpr int kRestOfMpeg1 = 7, kRestOfMpeg2 = 8, kStuffing = 7;
    const int first = file.byte();
    if ((first & 0xF0) == 0x20) {
        file.skip(kRestOfMpeg1);
        return true;
    }
    file.skip(kRestOfMpeg2);
    file.skip(file.byte() & kStuffing);
    return (first & 0xC0) == 0x40;
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
            if (skipPack(m_file)) return;
    }

    /// A few zeros up to a start code or the end, as those at the end of Video CD's packs; many are packs
    /// that were overwritten.
    bool isPadding(std::string_view code) {
        constexpr int kMostPadding = 1024;
        if (code != std::string_view("\0\0\0\0", 4)) return false;
        int next = 0, zeros = 0;
        for (; m_file.at() < m_file.size() && (next = m_file.byte()) == 0; ++zeros)
            if (zeros > kMostPadding) return false;
        return next == 0 || (next == 1 && skipPart(m_file.byte()));
    }

    /// Goes behind a part whose start code was read; whether it is one.
    bool skipPart(int type) {
        constexpr std::size_t kMostZeros = 63;
        if (type == kPackCode) return skipPack(m_file);
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
