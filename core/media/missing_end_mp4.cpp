#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/media/byte_walk.h"
#include "core/media/missing_end.h"
#include "core/media/mp4_box.h"
#include "core/media/mp4_fragment.h"

namespace reelgrid::media {
namespace {

/// What fragmented files have at their outermost level. Cameras and programs append other things, which
/// aren't made of boxes.
constexpr std::array<std::string_view, 17> kOutermostBoxes{"ftyp", "styp", "moov", "moof", "mdat", "sidx",
                                                           "ssix", "mfra", "meta", "free", "skip", "wide",
                                                           "uuid", "udta", "prft", "emsg", "pdin"};
/// Sizes beyond any file are damage.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

/// A sector of a disc.
constexpr std::int64_t kMostPadding = 2048;

bool isZeros(const BoxHead& head) {
    return head.isOpen && head.type == std::string(4, '\0');
}

/// The place of the first box in a film's list of contents whose head is zeros. Its boxes come next in the
/// file; what these hold is looked at as far as the lists of samples.
std::optional<std::int64_t> zeroBoxOfMoov(const std::filesystem::path& path, std::int64_t begin,
                                          std::int64_t end) {
    constexpr std::array<std::string_view, 4> kHolders{"trak", "mdia", "minf", "stbl"};
    ByteWalk file(path);
    file.skip(begin);
    while (file.at() + kBoxHeadBytes <= end) {
        const std::int64_t place = file.at();
        const BoxHead head = boxHead(file);
        if (isZeros(head)) return place;
        if (head.rest < 0) return std::nullopt;
        if (std::ranges::find(kHolders, head.type) == kHolders.end()) file.skip(head.rest);
    }
    return std::nullopt;
}

/// Whether the last bytes of a file, too few for a box's head, are none that was cut. Up to four can be a
/// size's first bytes, which mostly are zeros, too. Behind the index that ends a file nothing of the film
/// comes.
bool isPadding(ByteWalk& file, bool isBehindIndex) {
    if (isBehindIndex) return true;
    if (file.size() - file.at() < 4) return false;
    const std::int64_t size = file.number(4, std::endian::big);
    if (size < kBoxHeadBytes && size != kLargeBoxMark) return true;
    std::string type;
    while (file.at() < file.size()) type += char(file.byte());
    return std::ranges::none_of(kOutermostBoxes,
                                [&](std::string_view known) { return known.starts_with(type); });
}

/// Behind the last of the fragments that an index lists, relative to the index's own end (ISO/IEC 14496-12,
/// 8.16.3). Reads `rest` bytes; −1 where the index is damaged.
std::int64_t listedBytes(ByteWalk& file, std::int64_t rest) {
    constexpr std::int64_t kFlags = 3, kTrackAndScale = 8, kReserved = 2, kBehindSize = 8;
    constexpr std::int64_t kSizeBits = 0x7FFFFFFF, kEntry = 12;
    const std::int64_t end = file.at() + rest;
    const int wide = file.byte() > 0 ? 8 : 4;
    file.skip(kFlags + kTrackAndScale + wide);
    std::int64_t listed = file.number(wide, std::endian::big);
    file.skip(kReserved);
    const std::int64_t entries = file.number(2, std::endian::big);
    if (listed < 0 || listed > kMostBytes || file.at() + entries * kEntry > end) return -1;
    for (std::int64_t i = 0; i < entries && !file.isPastEnd(); ++i) {
        listed += file.number(4, std::endian::big) & kSizeBits;
        file.skip(kBehindSize);
    }
    file.skip(end - file.at());
    return listed;
}

/// Whether a fragment begins between two places, or the index that ends the fragments: a moof whose first
/// box, of 16 bytes, is an mfhd, or an mfra that begins with a tfra.
bool hasFragments(const std::filesystem::path& path, std::int64_t begin, std::int64_t end) {
    constexpr std::string_view kFragment("moof\0\0\0\x10mfhd", 12);
    constexpr int kSizeAndType = 8;
    ByteWalk fragments(path), index(path);
    fragments.skip(begin);
    if (fragments.findText(kFragment, end)) return true;
    index.skip(begin);
    while (index.findText("mfra", end))
        if (index.peek(kSizeAndType).ends_with("tfra")) return true;
    return false;
}

/// Heads of fragments that follow each other, and the data behind them.
class FragmentData {
  public:
    void addHead(std::int64_t place, std::int64_t listed) {
        if (m_place < 0) m_place = place;
        m_listed += listed;
    }
    void addBytes(std::int64_t bytes) {
        m_bytes += bytes;
        m_hasBytes = true;
    }
    [[nodiscard]] bool hasBytes() const { return m_hasBytes; }
    /// More than the samples whose sizes are listed.
    [[nodiscard]] bool hasOthers() const { return m_listed > 0 && m_bytes > m_listed; }
    /// That the heads list more bytes of samples than there are, in words.
    [[nodiscard]] std::optional<std::string> lacking() const {
        if (m_place < 0 || m_listed <= m_bytes) return std::nullopt;
        return "the fragment at byte " + std::to_string(m_place) + " lists samples of " +
               std::to_string(m_listed) + " bytes, it has " + std::to_string(m_bytes);
    }

  private:
    std::int64_t m_place = -1, m_listed = 0, m_bytes = 0;
    bool m_hasBytes = false;
};

}  // namespace

std::optional<std::string> missingEndOfMp4(const std::filesystem::path& path) {
    ByteWalk file(path);
    bool isFragmented = false;
    bool hasMoof = false;  // of the data that come next
    bool isBehindIndex = false;
    std::string before;  // the type of the box before
    std::int64_t listedEnd = 0, moovPlace = 0, moovEnd = 0;
    int moovs = 0;
    std::int64_t unknown = -1;  // place of the first of the last boxes, which aren't known
    FragmentData data;
    const auto hole = [&]() -> std::optional<std::string> {
        if (!isFragmented || unknown < 0) return std::nullopt;
        if (hasFragments(path, unknown, file.size()))
            return noPart(unknown, "box of MP4, and fragments follow");
        // What cameras append is short and has a type, or behind the index.
        ByteWalk appended(path);
        appended.skip(unknown);
        const bool isShort = file.size() - unknown <= kMostPadding && isPrintable(boxHead(appended).type);
        if (isBehindIndex || (isShort && unknown >= listedEnd)) return std::nullopt;
        return noPart(unknown, "box of MP4");
    };
    while (file.at() < file.size()) {
        const std::int64_t place = file.at(), headEnd = place + kBoxHeadBytes;
        if (headEnd > file.size()) {
            if (!isPadding(file, before == "mfra")) file.skip(headEnd - file.at());
            break;
        }
        const BoxHead head = boxHead(file);
        // What follows a moof is its data. Otherwise a few zeros are padding, many a download's that got its
        // size before its bytes.
        const bool isTooMuch = before == "moof" || file.size() - place > kMostPadding;
        if (isFragmented && isZeros(head) && before != "mfra" && isTooMuch)
            return "it has zeros from byte " + std::to_string(place) + " on, where a fragment was needed";
        const bool isKnown = std::ranges::find(kOutermostBoxes, head.type) != kOutermostBoxes.end();
        if (head.isOpen && head.type == "mdat") data.addBytes(file.size() - file.at());
        if (isFragmented && head.isOpen && isKnown && head.type != "mdat") return noPart(place, "box of MP4");
        if (file.isPastEnd() || (head.isOpen && isKnown)) break;
        const bool isPossible = head.rest >= 0 && head.rest <= kMostBytes;
        // A fragment's data, before which something else than its moof is.
        if (isFragmented && unknown >= 0 && head.type == "mdat" && !hasMoof)
            return noPart(unknown, "box of MP4, and data follow");
        if (isKnown && isPossible)
            unknown = -1;
        else if (unknown < 0 && place >= moovEnd)
            unknown = place;
        if (!isPossible) {
            if (auto found = hole()) return found;
            if (head.isOpen) break;
            return std::nullopt;
        }
        // FFmpeg takes a list of contents that is too large for all of it, and a second one for none.
        const bool isOfFragment = head.type == "moof" || head.type == "mdat";
        const bool isWithin = place < moovEnd;
        if (isWithin && isOfFragment) return noPart(moovPlace, "list of contents of MP4");
        if (isWithin && moovEnd <= file.size() && file.at() + head.rest > moovEnd)
            return noPart(place, "box of MP4");
        if (head.type == "mdat" && moovs > 1 && place == moovEnd) return noPart(moovPlace, "box of MP4");
        isFragmented |= head.type == "mvex";
        before = head.type;
        isBehindIndex = before == "mfra" || (isBehindIndex && before != "moof");
        hasMoof = before == "moof" || (hasMoof && before != "mdat");
        if (head.type == "moov") {  // whose boxes come next
            const bool isFirst = moovEnd == 0;
            moovPlace = place;
            moovEnd = file.at() + head.rest;
            ++moovs;
            if (const auto zeros = isFirst ? zeroBoxOfMoov(path, file.at(), moovEnd) : std::nullopt)
                return noPart(*zeros, "box of MP4");
            continue;
        }
        if (head.type == "moof") {
            const FragmentHead fragment = fragmentHead(path, file.at(), file.at() + head.rest);
            if (fragment.damaged) return noPart(*fragment.damaged, "box of MP4");
            if (data.hasBytes()) {
                if (auto lacking = data.lacking()) return lacking;
                data = FragmentData();
            }
            data.addHead(place, fragment.sampleBytes);
        }
        if (head.type == "mdat") data.addBytes(head.rest);
        if (head.type == "mdat" && data.hasOthers() && hasFragments(path, file.at(), file.at() + head.rest))
            return noPart(place, "box of MP4");
        if (head.type == "sidx") {
            const std::int64_t listed = listedBytes(file, head.rest);
            if (listed < 0 && !file.isPastEnd()) return std::nullopt;
            listedEnd = std::max(listedEnd, file.at() + listed);
        } else {
            file.skip(head.rest);
        }
        if (file.isPastEnd() && !isKnown) return hole();
    }
    // Others list all their frames, which the file has or hasn't.
    if (!isFragmented) return std::nullopt;
    if (unknown >= 0 && unknown < listedEnd) return noPart(unknown, "box of MP4");
    const std::int64_t needed = std::max(file.at(), listedEnd);
    return needed > file.size() ? std::optional(bytesMissing(file.size(), needed)) : data.lacking();
}

}  // namespace reelgrid::media
