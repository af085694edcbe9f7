#include <bit>
#include <cstdint>
#include <string_view>

#include "core/media/byte_walk.h"
#include "core/media/missing_end.h"

namespace reelgrid::media {
namespace {

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

}  // namespace

std::optional<std::string> missingEndOfFlv(const std::filesystem::path& path) {
    constexpr int kBeforeOffset = 5, kHeader = 9, kSizeBehind = 4, kBeforeData = 11;
    ByteWalk file(path);
    const double said = saidBytesOfFlv(path);
    if (said > double(file.size() + kSizeBehind) && said < double(std::int64_t{1} << 50))
        return bytesMissing(file.size(), std::int64_t(said));
    file.skip(kBeforeOffset);
    file.skip(file.number(4, std::endian::big) - kHeader + kSizeBehind);
    bool haveSizes = false;  // the tags before
    while (file.at() < file.size()) {
        const std::int64_t place = file.at();
        const int type = file.byte() & 0x1F;
        const std::int64_t bytes = file.number(3, std::endian::big);
        file.skip(kBeforeData - 4 + bytes);
        const bool isCut = file.at() + kSizeBehind > file.size();
        // Sound, pictures and script data are tags, and whatever has its size behind it.
        const bool hasSize = file.number(kSizeBehind, std::endian::big) == kBeforeData + bytes;
        const bool isKnown = type == 8 || type == 9 || type == 18;
        if (!hasSize && (!isKnown || (haveSizes && !isCut))) return noPart(place, "tag of Flash Video");
        haveSizes = hasSize;
    }
    // Some that write it leave out the size behind the last tag.
    return file.at() - kSizeBehind > file.size() ? std::optional(bytesMissing(file)) : std::nullopt;
}

}  // namespace reelgrid::media
