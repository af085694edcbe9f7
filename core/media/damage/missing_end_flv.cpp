#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"

namespace reelgrid::media {
namespace {

/// Types of tags (Adobe Flash Video File Format 10.1, E.4.1).
constexpr int kSound = 8, kPicture = 9, kScript = 18, kScriptOfAmf3 = 15;

/// The size of a Flash Video file as its first tags' script data ("onMetaData") say it, in bytes; 0 where
/// they don't. A number follows its name: a zero for its type, and a double.
double saidBytesOfFlv(const std::filesystem::path& path) {
    constexpr std::string_view kName("\0\10filesize\0", 11);
    constexpr std::int64_t kFirstBytes = 1 << 16;
    ByteWalk file(path);
    bool isFound = false;
    file.find(kName.size(), [&](std::string_view bytes) {
        isFound = bytes == kName;
        return isFound || file.at() > kFirstBytes;
    });
    return isFound ? std::bit_cast<double>(file.number(8, std::endian::big)) : 0;
}

/// Tags whose type isn't that of pictures, but whose data begin as those of pictures do, with their kind and
/// their codec (E.4.3.1), and those of another codec than the first picture: demuxers pass over them, take
/// them for sound, for another video or for the decoder's parameters.
class LostPictures {
  public:
    static constexpr std::int64_t kBegin = 6;  ///< bytes of a tag's data that tell

    /// `data`: what the tag's data begin with, at least a byte.
    void add(std::int64_t place, int type, bool saysSound, std::string_view data) {
        constexpr int kMostKind = 5;
        constexpr int kHasCode = 0x80;  // of four letters, in the codec's place ("Enhanced RTMP")
        const int begin = static_cast<unsigned char>(data.front());
        const int kind = (begin & 0xF0) >> 4, codec = (begin & kHasCode) != 0 ? kHasCode : begin & 0xF;
        const bool isOther = (m_codec && *m_codec != codec) || saysParametersOnly(kind, codec, data);
        if (type == kPicture && isOther && !m_other)
            m_other = place;
        else if (type == kPicture)
            m_codec = codec;
        else if (type != kScript && type != kScriptOfAmf3 && (type != kSound || !saysSound) && kind >= 1 &&
                 kind <= kMostKind && m_others.size() < kMost)
            m_others.emplace_back(place, codec);
    }
    [[nodiscard]] std::optional<std::int64_t> first() const {
        const auto found =
            std::ranges::find_if(m_others, [&](const auto& tag) { return m_codec == tag.second; });
        return found == m_others.end() ? m_other : found->first;
    }

  private:
    /// Of H.264 and HEVC: it says that it has parameters, and they don't begin with their version.
    static bool saysParametersOnly(int kind, int codec, std::string_view data) {
        constexpr int kKey = 1, kH264 = 7, kHevc = 12;
        constexpr char kVersion = 1;
        if ((codec != kH264 && codec != kHevc) || data.size() < kBegin || data[1] != 0) return false;
        return kind != kKey || data.back() != kVersion;
    }
    static constexpr std::size_t kMost = 4096;
    std::optional<int> m_codec;
    std::optional<std::int64_t> m_other;                 ///< place of the first picture of another codec
    std::vector<std::pair<std::int64_t, int>> m_others;  ///< place and codec
};

}  // namespace

std::optional<std::string> missingEndOfFlv(const std::filesystem::path& path) {
    constexpr int kBeforeOffset = 5, kSoundFlag = 4, kHeader = 9, kSizeBehind = 4, kBeforeData = 11;
    ByteWalk file(path);
    const double said = saidBytesOfFlv(path);
    if (said > double(file.size() + kSizeBehind) && said < double(std::int64_t{1} << 50))
        return bytesMissing(file.size(), std::int64_t(said));
    file.skip(kBeforeOffset - 1);
    const bool saysSound = (file.byte() & kSoundFlag) != 0;
    file.skip(file.number(4, std::endian::big) - kHeader + kSizeBehind);
    bool haveSizes = false;  // the tags before
    LostPictures lost;
    while (file.at() < file.size()) {
        const std::int64_t place = file.at();
        const int type = file.byte() & 0x1F;
        const std::int64_t bytes = file.number(3, std::endian::big);
        file.skip(kBeforeData - 4);
        const std::string begin = file.text(int(std::min(bytes, LostPictures::kBegin)));
        if (bytes > 0) lost.add(place, type, saysSound, begin);
        file.skip(bytes - std::int64_t(begin.size()));
        const bool isCut = file.at() + kSizeBehind > file.size();
        // Sound, pictures and script data are tags, and whatever has its size behind it.
        const bool hasSize = file.number(kSizeBehind, std::endian::big) == kBeforeData + bytes;
        const bool isKnown = type == kSound || type == kPicture || type == kScript;
        if (!hasSize && (!isKnown || (haveSizes && !isCut))) return noPart(place, "tag of Flash Video");
        haveSizes = hasSize;
    }
    if (const auto place = lost.first()) return noPart(*place, "tag of Flash Video");
    // Some that write it leave out the size behind the last tag.
    return file.at() - kSizeBehind > file.size() ? std::optional(bytesMissing(file)) : std::nullopt;
}

}  // namespace reelgrid::media
