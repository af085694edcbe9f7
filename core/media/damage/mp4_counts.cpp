#include "core/media/damage/mp4_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/mp4_box.h"
#include "core/media/damage/mp4_chunks.h"

namespace reelgrid::media {
namespace {

/// Boxes of which FFmpeg reads what they hold (ISO/IEC 14496-12, 6.2; QuickTime File Format).
constexpr std::array<std::string_view, 13> kParents{"moov", "trak", "mdia", "minf", "stbl", "moof", "traf",
                                                    "mvex", "edts", "dinf", "udta", "tref", "wave"};

/// Those of them whose boxes must end where they do, as FFmpeg leaves out what comes behind one that doesn't.
constexpr std::array<std::string_view, 7> kOfTracks{"trak", "mdia", "minf", "stbl", "dinf", "mvex", "edts"};

/// Boxes of tracks that decide which frames are shown, when and from where: FFmpeg passes over others, and so
/// over one of these with a damaged type.
constexpr std::array<std::string_view, 10> kDeciding{"edts", "elst", "stbl", "stts", "ctts",
                                                     "stsc", "stsz", "stco", "co64", "stss"};
/// What a type may be that differs from one of those in one bit.
constexpr std::array<std::string_view, 4> kNearby{"stps", "stsh", "sdtp", "stdp"};

/// Whether two types differ in one bit.
bool areNear(std::string_view type, std::string_view other) {
    int bits = 0;
    for (std::size_t i = 0; i < other.size(); ++i)
        bits += std::popcount(static_cast<unsigned char>(type[i] ^ other[i]));
    return bits == 1;
}

bool isDamagedType(std::string_view type) {
    return !isOneOf(type, kDeciding) && !isOneOf(type, kNearby) &&
           std::ranges::any_of(kDeciding, [&](std::string_view each) { return areNear(type, each); });
}

/// A box that is gone through.
struct Around {
    std::int64_t end = 0;
    bool isOfTrack = false;  ///< and whole
};

/// The numbers in the boxes of a file, as they come.
class Numbers {
  public:
    explicit Numbers(std::int64_t fileBytes)
        : m_bytes(fileBytes),
          m_most(fileBytes + kEmpty),
          m_mostOfSound(std::max(m_most, std::min(kMostOfAByte * fileBytes, kMostOfSound))) {}

    /// What can't be in the box of that type of which the file has the head behind it.
    std::optional<std::string> impossibleIn(std::string_view type, ByteWalk& file, std::int64_t rest) {
        constexpr std::int64_t kSize = 4;
        m_hasHead |= type == "tkhd";
        if (type == "mdhd") return beginTrack(file);
        if (type == "hdlr") return addHandler(file);
        if (type == "elst") return damageOfEdits(file, rest);
        if (type == "stts" || type == "ctts") return tooManyRows(type, 8, file, rest);
        if (type == "stss") return tooManyRows(type, 4, file, rest);
        if (type == "stsc") m_chunks.readRuns(file, rest);
        if (type == "stco" || type == "co64") m_chunks.readPlaces(file);
        if (type == "stsz" || type == "stz2" || type == "trun") file.skip(kVersionAndFlags);
        if (type == "stsz") return addSizes(file);
        if (type == "stz2") file.skip(kSize);
        if (type == "stz2") return addListed(file.number(4, std::endian::big));
        return type == "trun" ? add(file.number(4, std::endian::big)) : std::nullopt;
    }

    /// What contradicts itself in the lists of the last track.
    [[nodiscard]] std::optional<std::string> contradiction() const {
        if (!m_isVideo || m_chunks.samples() == m_listed) return std::nullopt;
        return "its lists of samples and of their places contradict each other";
    }

  private:
    // QuickTime counts the samples of compressed sound as they are unpacked. A few samples may be empty.
    static constexpr std::int64_t kVersionAndFlags = 4;
    static constexpr std::int64_t kMostOfAByte = 64, kMostOfSound = 1 << 24, kEmpty = 1024;
    static constexpr std::int64_t kMostScale = std::numeric_limits<std::int32_t>::max();

    std::optional<std::string> add(std::int64_t samples) {
        m_samples += samples;
        if (m_samples <= (m_isSound ? m_mostOfSound : m_most)) return std::nullopt;
        return "its lists say that it has " + std::to_string(m_samples) + " samples in " +
               std::to_string(m_bytes) + " bytes";
    }
    std::optional<std::string> addListed(std::int64_t samples) {
        m_listed = samples;
        return add(samples);
    }
    /// All samples have one size, or each its own.
    std::optional<std::string> addSizes(ByteWalk& file) {
        const std::int64_t ofAll = file.number(4, std::endian::big);
        const std::int64_t samples = file.number(4, std::endian::big);
        if (auto tooMany = addListed(samples)) return tooMany;
        for (std::int64_t i = 0; i < samples && ofAll == 0 && file.at() < file.size(); ++i)
            if (const std::int64_t size = file.number(4, std::endian::big); size > m_bytes)
                return "it lists a sample of " + std::to_string(size) + " bytes in " +
                       std::to_string(m_bytes);
        return std::nullopt;
    }
    /// Its time scale is behind flags and when the track was made and changed.
    std::optional<std::string> beginTrack(ByteWalk& file) {
        auto before = contradiction();
        // It says how the pictures are turned.
        if (!before && !m_hasHead) before = "a track has no head (tkhd)";
        m_hasHead = false;
        const bool isWide = file.number(1, std::endian::big) == 1;
        file.skip(isWide ? 3 + 8 + 8 : 3 + 4 + 4);
        m_scale = file.number(4, std::endian::big);
        m_isVideo = false;
        m_listed = 0;
        m_chunks = {};
        return before;
    }
    /// It has a head for all and so many bytes an edit (8.6.6).
    static std::optional<std::string> damageOfEdits(ByteWalk& file, std::int64_t rest) {
        constexpr std::int64_t kEdit = 12, kWideEdit = 20, kEmptyList = kVersionAndFlags + 4;
        const std::int64_t each = file.number(1, std::endian::big) == 1 ? kWideEdit : kEdit;
        file.skip(kVersionAndFlags - 1);
        const std::int64_t edits = file.number(4, std::endian::big);
        if (rest == kEmptyList + edits * each) return std::nullopt;
        return "an edit list of " + std::to_string(edits) + " edits has " + std::to_string(rest) +
               " bytes, " + std::to_string(kEmptyList + edits * each) + " were needed";
    }
    /// A table has more rows than its box has room for.
    static std::optional<std::string> tooManyRows(std::string_view type, std::int64_t rowBytes,
                                                  ByteWalk& file, std::int64_t rest) {
        file.skip(kVersionAndFlags);
        const std::int64_t rows = file.number(4, std::endian::big);
        if (kVersionAndFlags + 4 + rows * rowBytes <= rest) return std::nullopt;
        return "a list (" + std::string(type) + ") of " + std::to_string(rows) + " entries has " +
               std::to_string(rest) + " bytes, " + std::to_string(kVersionAndFlags + 4 + rows * rowBytes) +
               " were needed";
    }
    std::optional<std::string> addHandler(ByteWalk& file) {
        constexpr std::int64_t kBeforeHandler = 8;
        file.skip(kBeforeHandler);
        const std::string handler = file.text(4);
        m_isSound |= handler == "soun";
        m_isVideo |= handler == "vide";
        // FFmpeg would take 1.
        if (handler != "vide" || (m_scale >= 1 && m_scale <= kMostScale)) return std::nullopt;
        return "the video's time scale is " + std::to_string(m_scale) + ", 1 to " +
               std::to_string(kMostScale) + " units a second were needed";
    }

    std::int64_t m_bytes, m_most, m_mostOfSound;
    std::int64_t m_samples = 0;
    // Of the track whose boxes these are: mdhd comes before hdlr.
    std::int64_t m_scale = 1, m_listed = 0;
    Mp4Chunks m_chunks;
    bool m_isVideo = false;

    bool m_hasHead = false;  ///< the track whose mdhd comes next
    bool m_isSound = false;  ///< this one or one before
};

}  // namespace

std::optional<std::string> impossibleMp4Numbers(const std::filesystem::path& path) {
    constexpr std::size_t kMostWithin = 16;
    ByteWalk file(path);
    Numbers numbers(file.size());
    std::vector<Around> around{{file.size(), false}};
    while (!around.empty()) {
        const auto [end, isOfTrack] = around.back();
        const std::int64_t place = file.at();
        if (place + kBoxHeadBytes > end) {
            file.skip(end - place);
            around.pop_back();
            continue;
        }
        const auto [type, rest, isOpen] = boxHead(file);
        const std::int64_t room = end - file.at();
        if (isOfTrack && (rest > room || isDamagedType(type))) return noPart(place, "box of MP4");
        // As FFmpeg has it, damaged sizes end where the box around does.
        const std::int64_t next = rest >= 0 ? file.at() + std::min(rest, room) : end;
        if ((rest >= 0 || isOpen) && isOneOf(type, kParents) && around.size() < kMostWithin) {
            around.push_back({next, rest <= room && isOneOf(type, kOfTracks)});
            continue;
        }
        if (auto impossible = numbers.impossibleIn(type, file, next - file.at())) return impossible;
        file.skip(next - file.at());
    }
    return numbers.contradiction();
}

}  // namespace reelgrid::media
