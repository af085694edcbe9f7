#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"
#include "core/media/damage/mp4_box.h"
#include "core/media/damage/mp4_fragment.h"

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

/// Where fragments begin as a track's index at the end of the file has it (tfra: ISO/IEC 14496-12, 8.8.10).
/// Reads `rest` bytes.
std::vector<std::int64_t> listedFragments(ByteWalk& file, std::int64_t rest) {
    constexpr std::int64_t kFlags = 3, kTrack = 4, kLengthBits = 2, kLengthMask = 3;
    const std::int64_t end = file.at() + rest;
    const int wide = file.byte() > 0 ? 8 : 4;
    file.skip(kFlags + kTrack);
    std::int64_t lengths = file.number(4, std::endian::big), behind = 0;
    for (int i = 0; i < 3; ++i, lengths >>= kLengthBits) behind += (lengths & kLengthMask) + 1;
    const std::int64_t entries = file.number(4, std::endian::big);
    std::vector<std::int64_t> places;
    if (entries <= (end - file.at()) / (2 * wide + behind))
        for (std::int64_t i = 0; i < entries && !file.isPastEnd(); ++i) {
            file.skip(wide);  // its time
            places.push_back(file.number(wide, std::endian::big));
            file.skip(behind);
        }
    file.skip(end - file.at());
    return places;
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

/// From box to box of the outermost level, and through the list of contents.
class Mp4Walk {
  public:
    explicit Mp4Walk(const std::filesystem::path& path) : m_path(path), m_file(path) {}

    std::optional<std::string> damage() {
        while (m_file.at() < m_file.size() && m_goesOn)
            if (auto found = damageOfNext()) return found;
        // Files that aren't fragmented list all their frames, which they have or haven't.
        if (!m_isFragmented || m_isOfOthers) return std::nullopt;
        if (m_unknown >= 0 && m_unknown < m_listedEnd) return noBox(m_unknown);
        const std::int64_t needed = std::max(m_file.at(), m_listedEnd);
        return needed > m_file.size() ? std::optional(bytesMissing(m_file.size(), needed)) : m_data.lacking();
    }

  private:
    struct Box {
        std::int64_t place;
        BoxHead head;
        bool isKnown, isPossible;
        [[nodiscard]] bool is(std::string_view type) const { return head.type == type; }
    };

    static std::string noBox(std::int64_t place) { return noPart(place, "box of MP4"); }

    std::optional<std::string> damageOfNext() {
        const std::int64_t place = m_file.at(), headEnd = place + kBoxHeadBytes;
        if (headEnd > m_file.size()) {
            if (!isPadding(m_file, m_before == "mfra")) m_file.skip(headEnd - m_file.at());
            m_goesOn = false;
            return std::nullopt;
        }
        const BoxHead head = boxHead(m_file);
        const Box box{place, head, std::ranges::find(kOutermostBoxes, head.type) != kOutermostBoxes.end(),
                      head.rest >= 0 && head.rest <= kMostBytes};
        if (auto found = damageOfOpen(box)) return found;
        if (m_file.isPastEnd() || (head.isOpen && box.isKnown)) m_goesOn = false;
        if (!m_goesOn) return std::nullopt;
        // A fragment's data, before which something else than its moof is.
        if (m_isFragmented && m_unknown >= 0 && box.is("mdat") && !m_hasMoof)
            return noPart(m_unknown, "box of MP4, and data follow");
        if (box.isKnown && box.isPossible)
            m_unknown = -1;
        else if (m_unknown < 0 && place >= m_moovEnd)
            m_unknown = place;
        if (!box.isPossible) {
            m_goesOn = false;
            m_isOfOthers = !head.isOpen;
            return hole();
        }
        if (auto found = damageOfPlace(box)) return found;
        note(box);
        return damageOfContents(box);
    }

    /// Boxes that go on to the file's end: a fragment's data may.
    std::optional<std::string> damageOfOpen(const Box& box) {
        // What follows a moof is its data. Otherwise a few zeros are padding, many a download's that got its
        // size before its bytes.
        const bool isTooMuch = m_before == "moof" || m_file.size() - box.place > kMostPadding;
        if (m_isFragmented && isZeros(box.head) && m_before != "mfra" && isTooMuch)
            return "it has zeros from byte " + std::to_string(box.place) + " on, where a fragment was needed";
        if (!box.head.isOpen) return std::nullopt;
        if (box.is("mdat"))
            m_data.addBytes(m_file.size() - m_file.at());
        else if (m_isFragmented && box.isKnown)
            return noBox(box.place);
        return std::nullopt;
    }

    /// FFmpeg takes a list of contents that is too large for all of it, and a second one for none.
    std::optional<std::string> damageOfPlace(const Box& box) {
        const bool isWithin = box.place < m_moovEnd;
        if (isWithin && (box.is("moof") || box.is("mdat")))
            return noPart(m_moovPlace, "list of contents of MP4");
        if (isWithin && m_moovEnd <= m_file.size() && m_file.at() + box.head.rest > m_moovEnd)
            return noBox(box.place);
        if (box.is("mdat") && m_moovs > 1 && box.place == m_moovEnd) return noBox(m_moovPlace);
        return std::nullopt;
    }

    void note(const Box& box) {
        m_isFragmented |= box.is("mvex");
        m_before = box.head.type;
        m_isBehindIndex = box.is("mfra") || (m_isBehindIndex && !box.is("moof"));
        m_hasMoof = box.is("moof") || (m_hasMoof && !box.is("mdat"));
    }

    /// Goes behind the box, or behind the head of the list of contents, whose boxes come next.
    std::optional<std::string> damageOfContents(const Box& box) {
        const std::int64_t begin = m_file.at(), end = begin + box.head.rest;
        if (box.is("moov")) {
            const bool isFirst = m_moovs++ == 0;
            m_moovPlace = box.place;
            m_moovEnd = end;
            const auto zeros = isFirst ? zeroBoxOfMoov(m_path, begin, end) : std::nullopt;
            return zeros ? std::optional(noBox(*zeros)) : std::nullopt;
        }
        if (box.is("moof"))
            if (auto found = damageOfFragment(box.place, begin, end)) return found;
        if (box.is("mdat")) {
            m_data.addBytes(box.head.rest);
            if (m_data.hasOthers() && hasFragments(m_path, begin, end)) return noBox(box.place);
        }
        if (box.is("mfra")) return damageOfIndex(end);
        if (box.is("sidx")) {
            const std::int64_t listed = listedBytes(m_file, box.head.rest);
            m_goesOn = listed >= 0 || m_file.isPastEnd();
            m_isOfOthers = !m_goesOn;
            m_listedEnd = std::max(m_listedEnd, m_file.at() + listed);
            return std::nullopt;
        }
        m_file.skip(box.head.rest);
        if (!m_file.isPastEnd() || box.isKnown) return std::nullopt;
        m_isOfOthers = true;
        return hole();
    }

    /// Goes behind an index at the end of the file.
    std::optional<std::string> damageOfIndex(std::int64_t end) {
        while (m_file.at() + kBoxHeadBytes <= end && end <= m_file.size()) {
            const BoxHead head = boxHead(m_file);
            if (head.rest < 0 || head.rest > end - m_file.at()) break;
            if (head.type != "tfra") {
                m_file.skip(head.rest);
                continue;
            }
            if (const auto missing = missingFragment(listedFragments(m_file, head.rest)))
                return "its index lists a fragment at byte " + std::to_string(*missing) +
                       ", which isn't there";
        }
        m_file.skip(end - m_file.at());
        return std::nullopt;
    }

    /// Of those listed, the first that isn't there. All of them may be as far from their places: who changes
    /// tags at the begin of a file seldom knows of the index at its end.
    [[nodiscard]] std::optional<std::int64_t> missingFragment(const std::vector<std::int64_t>& listed) const {
        if (listed.empty()) return std::nullopt;
        const auto firstMissing = [&](std::int64_t shift) {
            return std::ranges::find_if(
                listed, [&](std::int64_t place) { return !m_fragments.contains(place + shift); });
        };
        const auto missing = firstMissing(0);
        const bool isThere = missing == listed.end();
        if (isThere ||
            (!m_fragments.empty() && firstMissing(*m_fragments.begin() - listed.front()) == listed.end()))
            return std::nullopt;
        return *missing;
    }

    std::optional<std::string> damageOfFragment(std::int64_t place, std::int64_t begin, std::int64_t end) {
        const FragmentHead fragment = fragmentHead(m_path, begin, end);
        if (fragment.damaged) return noBox(*fragment.damaged);
        m_fragments.insert(place);
        if (m_data.hasBytes()) {
            if (auto lacking = m_data.lacking()) return lacking;
            m_data = FragmentData();
        }
        m_data.addHead(place, fragment.sampleBytes);
        return std::nullopt;
    }

    /// What the last boxes, which aren't known, are no part of.
    std::optional<std::string> hole() {
        if (!m_isFragmented || m_unknown < 0) return std::nullopt;
        if (hasFragments(m_path, m_unknown, m_file.size()))
            return noPart(m_unknown, "box of MP4, and fragments follow");
        // What cameras append is short and has a type, or behind the index.
        ByteWalk appended(m_path);
        appended.skip(m_unknown);
        const bool isShort = m_file.size() - m_unknown <= kMostPadding && isPrintable(boxHead(appended).type);
        if (m_isBehindIndex || (isShort && m_unknown >= m_listedEnd)) return std::nullopt;
        return noBox(m_unknown);
    }

    const std::filesystem::path& m_path;
    ByteWalk m_file;
    bool m_goesOn = true;
    bool m_isOfOthers = false;  ///< what comes now was appended
    bool m_isFragmented = false;
    bool m_hasMoof = false;  ///< of the data that come next
    bool m_isBehindIndex = false;
    std::string m_before;  ///< the type of the box before
    std::int64_t m_listedEnd = 0, m_moovPlace = 0, m_moovEnd = 0;
    int m_moovs = 0;
    std::int64_t m_unknown = -1;  ///< place of the first of the last boxes, which aren't known
    FragmentData m_data;
    std::set<std::int64_t> m_fragments;  ///< their places
};

}  // namespace

std::optional<std::string> missingEndOfMp4(const std::filesystem::path& path) {
    return Mp4Walk(path).damage();
}

}  // namespace reelgrid::media
