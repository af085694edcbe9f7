#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"

namespace reelgrid::media {
namespace {

/// Where the header of an MXF begins; other bytes may be before it (SMPTE ST 377-1, 6.5).
std::optional<std::int64_t> headerOfMxf(const std::filesystem::path& path) {
    constexpr std::string_view kHeader("\x06\x0E\x2B\x34\2\5\1\1\x0D\1\2\1\1\2", 14);
    constexpr std::int64_t kMostBefore = 65536;
    ByteWalk file(path);
    std::optional<std::int64_t> header;
    file.find(kHeader.size(), [&](std::string_view bytes) {
        if (bytes == kHeader) header = file.at() - std::int64_t(kHeader.size());
        return header || file.at() > kMostBefore;
    });
    return header;
}

/// What keys of pictures, sound and data begin with (SMPTE ST 379-1, 7.1), and what that of pictures goes on
/// with.
constexpr std::string_view kOfFrames("\x06\x0E\x2B\x34\1\2\1\1\x0D\1\3\1", 12);
constexpr char kPictureItem = 0x15;

bool isOfPicture(std::string_view key) {
    return key.starts_with(kOfFrames) && key[kOfFrames.size()] == kPictureItem;
}

/// By BER: a byte, or a number of bytes and then these.
std::int64_t lengthOfValue(ByteWalk& file) {
    constexpr int kShort = 0x80, kMostBytes = 8;
    const int first = file.byte();
    return first < kShort ? first : file.number(std::min(first & (kShort - 1), kMostBytes), std::endian::big);
}

/// The keys of a file's parts. One that is there once and differs in few bytes from that of frames, which are
/// many, is a damaged one, as is one that can't be registered: demuxers pass over what it is of.
class Keys {
  public:
    void add(std::int64_t place, const std::string& key) {
        constexpr std::size_t kMost = 4096;
        if (m_seen.size() >= kMost && !m_seen.contains(key)) return;
        Seen& seen = m_seen.try_emplace(key, Seen{place}).first->second;
        seen.last = place;
        ++seen.times;
    }
    [[nodiscard]] std::optional<std::int64_t> damaged() const {
        for (const auto& [key, seen] : m_seen)
            if (seen.times == 1 && (!isRegistered(key) || isDamaged(key, seen.first))) return seen.first;
        return std::nullopt;
    }

  private:
    struct Seen {
        std::int64_t first = 0, last = 0;  ///< places
        int times = 0;
    };
    static constexpr int kMany = 3, kMostOthers = 3;

    /// Whether it is that of an element, or of a set or pack of them (SMPTE ST 336, 5.2).
    static bool isRegistered(const std::string& key) {
        constexpr std::size_t kCategory = 4, kStructure = 6, kVersion = 7;
        constexpr char kMostVersion = 0x1F;
        return (key[kCategory] == 1 || key[kCategory] == 2) && key[kStructure] == 1 && key[kVersion] > 0 &&
               key[kVersion] <= kMostVersion;
    }
    /// Whether a key that is there once differs in a few bytes from one of frames, and is among these.
    [[nodiscard]] bool isDamaged(const std::string& key, std::int64_t place) const {
        return std::ranges::any_of(m_seen, [&](const auto& other) {
            const auto& [ofFrames, seen] = other;
            int same = 0;
            for (std::size_t i = 0; i < key.size(); ++i) same += key[i] == ofFrames[i] ? 1 : 0;
            return ofFrames.starts_with(kOfFrames) && seen.times >= kMany && seen.first < place &&
                   (place < seen.last || !key.starts_with(kOfFrames)) &&
                   int(key.size()) - same <= kMostOthers;
        });
    }

    std::map<std::string, Seen> m_seen;
};

/// What keys of sets of metadata have behind their version, whose items have tags and lengths of two bytes
/// each (SMPTE ST 377-1, 9.2 and annex A), and where.
constexpr std::string_view kSetRegistry("\2\x53\1", 3), kOfMetadata("\x0D\1\1\1\1", 5);
constexpr std::size_t kRegistryAt = 4, kDesignatorAt = 8;

bool isMetadataSet(std::string_view key) {
    return key.substr(kRegistryAt).starts_with(kSetRegistry) &&
           key.substr(kDesignatorAt).starts_with(kOfMetadata);
}

/// Reads a set's items, which are to fill so many bytes; whether they do.
bool fillsSet(ByteWalk& file, std::int64_t bytes) {
    constexpr int kTag = 2, kLength = 2;
    const std::int64_t end = file.at() + bytes;
    while (file.at() < end && !file.isPastEnd()) {
        file.skip(kTag);
        file.skip(file.number(kLength, std::endian::big));
    }
    return file.at() == end;
}

/// How many of numbers that count up aren't the next one; 0 where most aren't: nobody counted.
int gapsOf(const std::vector<std::int64_t>& counts) {
    constexpr std::int64_t kMost = 0xFFFF;
    int next = 0, others = 0;
    for (std::size_t i = 1; i < counts.size(); ++i)
        ++(counts[i] == ((counts[i - 1] + 1) & kMost) ? next : others);
    return next > others ? others : 0;
}

}  // namespace

PicturesOfMxf picturesOfMxf(const std::filesystem::path& path) {
    // Of the metadata pack of a system item, and where its continuity count is (SMPTE ST 326, 6).
    constexpr std::string_view kKeyBegin("\x06\x0E\x2B\x34", 4);
    constexpr std::string_view kSystemPack("\x06\x0E\x2B\x34\2\5\1\1\x0D\1\3\1\4\1", 14);
    constexpr std::int64_t kKey = 16, kBeforeCount = 5, kCount = 2;
    const auto header = headerOfMxf(path);
    if (!header) return {};
    ByteWalk file(path);
    file.skip(*header);
    std::map<std::string, std::int64_t> pictures;  // by the key of their track
    std::vector<std::int64_t> counts;
    while (file.at() < file.size()) {
        const std::string key = file.text(kKey);
        if (!key.starts_with(kKeyBegin)) break;
        const std::int64_t length = lengthOfValue(file), end = file.at() + std::max<std::int64_t>(length, 0);
        if (isOfPicture(key) && length > 0) ++pictures[key];
        if (key.starts_with(kSystemPack) && length >= kBeforeCount + kCount) {
            file.skip(kBeforeCount);
            counts.push_back(file.number(kCount, std::endian::big));
        }
        file.skip(end - file.at());
    }
    PicturesOfMxf found{.gaps = gapsOf(counts)};
    // Each package has one.
    if (pictures.size() == 1) found.frames = std::max(pictures.begin()->second, std::int64_t(counts.size()));
    return found;
}

std::optional<std::string> missingEndOfMxf(const std::filesystem::path& path) {
    // Keys, lengths (BER) and values, one behind the other. The first value's fields say where the footer
    // begins; zero where nobody has gone back to say it.
    constexpr std::int64_t kBegin = 0x060E2B34, kKeyBegin = 4, kKey = 16, kFooterPlace = 24;
    const auto header = headerOfMxf(path);
    if (!header) return std::nullopt;
    ByteWalk file(path);
    file.skip(*header);
    std::int64_t footer = -1;
    Keys keys;
    while (file.at() < file.size()) {
        const std::int64_t place = file.at();
        const auto key = file.number(kKeyBegin, std::endian::big);
        if (key == 0 && place < footer)
            return "it has zeros from byte " + std::to_string(place) + " on, its footer begins at byte " +
                   std::to_string(footer);
        if (key != kBegin && !file.isPastEnd()) {
            const auto isPart = [](std::string_view bytes) { return bytes == "\x06\x0E\x2B\x34"; };
            // Whoever appends something knows where the file ends.
            if (place < footer || footer <= *header || file.find(kKeyBegin, isPart))
                return noPart(place, "part of MXF");
            return std::nullopt;
        }
        const std::string whole = std::string(kOfFrames, 0, kKeyBegin) + file.text(kKey - kKeyBegin);
        keys.add(place, whole);
        std::int64_t length = lengthOfValue(file);
        if (footer < 0 && length >= kFooterPlace + 8) {
            file.skip(kFooterPlace);
            footer = *header + file.number(8, std::endian::big);
            length -= kFooterPlace + 8;
        }
        // Behind a damaged length others of its kind would be within it.
        const std::int64_t end = file.at() + std::max<std::int64_t>(length, 0);
        if (isMetadataSet(whole) && end <= file.size() && !fillsSet(file, end - file.at()))
            return noPart(place, "set of MXF");
        if (!isOfPicture(whole) && end <= file.size() && file.findText(kOfFrames, end))
            return noPart(place, "part of MXF");
        file.skip(end - file.at());
    }
    if (file.isPastEnd()) return bytesMissing(file);
    if (const auto place = keys.damaged()) return noPart(*place, "part of MXF");
    if (footer < file.size()) return std::nullopt;
    return "its footer begins at byte " + std::to_string(footer) + ", it has " + std::to_string(file.size());
}

}  // namespace reelgrid::media
