#include <bit>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"

namespace reelgrid::media {

std::optional<std::string> missingEndOfApng(const std::filesystem::path& path) {
    constexpr std::int64_t kSignature = 8, kChecksum = 4, kMostNumber = 0x7FFFFFFF;
    ByteWalk file(path);
    file.skip(kSignature);
    std::int64_t listed = 0, frames = 0, number = 0;
    for (std::string type; type != "IEND";) {
        const std::int64_t place = file.at();
        if (place == file.size()) return "the end mark of a PNG is missing";
        const std::int64_t bytes = file.number(4, std::endian::big);
        type = file.text(4);
        const std::int64_t next = file.at() + bytes + kChecksum;
        if (type == "acTL") listed = file.number(4, std::endian::big);
        if (type == "fcTL") ++frames;
        // What has a number has the next one.
        if (type == "fcTL" || type == "fdAT")
            if (file.number(4, std::endian::big) != number++ && !file.isPastEnd())
                return noPart(place, "next part of an animated PNG");
        file.skip(next - file.at());
        if (file.isPastEnd()) return bytesMissing(file);
    }
    // Written to a pipe it has all bits set, which no number of a PNG has.
    if (frames >= listed || listed > kMostNumber) return std::nullopt;
    return "it has " + std::to_string(frames) + " of " + std::to_string(listed) + " frames";
}

}  // namespace reelgrid::media
