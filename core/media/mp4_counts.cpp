#include "core/media/mp4_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "core/media/byte_walk.h"
#include "core/media/mp4_box.h"

namespace reelgrid::media {
namespace {

/// Boxes of which FFmpeg reads what they hold (ISO/IEC 14496-12, 6.2; QuickTime File Format).
constexpr std::array<std::string_view, 13> kParents{"moov", "trak", "mdia", "minf", "stbl", "moof", "traf",
                                                    "mvex", "edts", "dinf", "udta", "tref", "wave"};

/// Those of them whose boxes must end where they do, as FFmpeg leaves out what comes behind one that doesn't.
constexpr std::array<std::string_view, 6> kOfTracks{"trak", "mdia", "minf", "stbl", "dinf", "mvex"};

/// A box that is gone through.
struct Around {
    std::int64_t end = 0;
    bool isOfTrack = false;  ///< and whole
};

bool isOneOf(std::string_view type, auto list) {
    return std::ranges::find(list, type) != list.end();
}

/// The numbers in the boxes of a file, as they come.
class Numbers {
  public:
    explicit Numbers(std::int64_t fileBytes)
        : m_bytes(fileBytes),
          m_most(fileBytes + kEmpty),
          m_mostOfSound(std::max(m_most, std::min(kMostOfAByte * fileBytes, kMostOfSound))) {}

    /// What can't be in the box of that type of which the file has the head behind it.
    std::optional<std::string> impossibleIn(std::string_view type, ByteWalk& file) {
        constexpr std::int64_t kVersionAndFlags = 4, kSize = 4;
        if (type == "stsz" || type == "stz2" || type == "trun") file.skip(kVersionAndFlags);
        if (type == "stsz") return addSizes(file);
        if (type == "stz2") file.skip(kSize);
        if (type == "stz2" || type == "trun") return add(file.number(4, std::endian::big));
        if (type == "mdhd") readScale(file);
        return type == "hdlr" ? addHandler(file) : std::nullopt;
    }

  private:
    // QuickTime counts the samples of compressed sound as they are unpacked. A few samples may be empty.
    static constexpr std::int64_t kMostOfAByte = 64, kMostOfSound = 1 << 24, kEmpty = 1024;
    static constexpr std::int64_t kMostScale = std::numeric_limits<std::int32_t>::max();

    std::optional<std::string> add(std::int64_t samples) {
        m_samples += samples;
        if (m_samples <= (m_isSound ? m_mostOfSound : m_most)) return std::nullopt;
        return "its lists say that it has " + std::to_string(m_samples) + " samples in " +
               std::to_string(m_bytes) + " bytes";
    }
    /// All samples have one size, or each its own.
    std::optional<std::string> addSizes(ByteWalk& file) {
        const std::int64_t ofAll = file.number(4, std::endian::big);
        const std::int64_t samples = file.number(4, std::endian::big);
        if (auto tooMany = add(samples)) return tooMany;
        for (std::int64_t i = 0; i < samples && ofAll == 0 && file.at() < file.size(); ++i)
            if (const std::int64_t size = file.number(4, std::endian::big); size > m_bytes)
                return "it lists a sample of " + std::to_string(size) + " bytes in " +
                       std::to_string(m_bytes);
        return std::nullopt;
    }
    /// It is behind flags and when the track was made and changed.
    void readScale(ByteWalk& file) {
        const bool isWide = file.number(1, std::endian::big) == 1;
        file.skip(isWide ? 3 + 8 + 8 : 3 + 4 + 4);
        m_scale = file.number(4, std::endian::big);
    }
    std::optional<std::string> addHandler(ByteWalk& file) {
        constexpr std::int64_t kBeforeHandler = 8;
        file.skip(kBeforeHandler);
        const std::string handler = file.text(4);
        m_isSound |= handler == "soun";
        // FFmpeg would take 1.
        if (handler != "vide" || (m_scale >= 1 && m_scale <= kMostScale)) return std::nullopt;
        return "the video's time scale is " + std::to_string(m_scale) + ", 1 to " +
               std::to_string(kMostScale) + " units a second were needed";
    }

    std::int64_t m_bytes, m_most, m_mostOfSound;
    std::int64_t m_samples = 0;
    std::int64_t m_scale = 1;  ///< of the track whose boxes these are: mdhd comes before hdlr
    bool m_isSound = false;
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
        if (isOfTrack && rest > room) return noPart(place, "box of MP4");
        // As FFmpeg has it, damaged sizes end where the box around does.
        const std::int64_t next = rest >= 0 ? file.at() + std::min(rest, room) : end;
        if ((rest >= 0 || isOpen) && isOneOf(type, kParents) && around.size() < kMostWithin) {
            around.push_back({next, rest <= room && isOneOf(type, kOfTracks)});
            continue;
        }
        if (auto impossible = numbers.impossibleIn(type, file)) return impossible;
        file.skip(next - file.at());
    }
    return std::nullopt;
}

}  // namespace reelgrid::media
