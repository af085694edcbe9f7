#include "core/media/mp4_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "core/media/byte_walk.h"

namespace reelgrid::media {
namespace {

/// Boxes that files of boxes begin with, and those on the way to the counts (ISO/IEC 14496-12, 6.2).
constexpr std::array<std::string_view, 12> kFirst{"ftyp", "styp", "moov", "moof", "mdat", "free",
                                                  "skip", "wide", "pnot", "uuid", "sidx", "junk"};
constexpr std::array<std::string_view, 7> kParents{"moov", "trak", "mdia", "minf", "stbl", "moof", "traf"};

bool isOneOf(std::string_view type, auto list) {
    return std::ranges::find(list, type) != list.end();
}

/// The bytes of a box before the number of samples that it says there are; −1: it says none.
int beforeCount(std::string_view type) {
    constexpr int kVersionAndFlags = 4, kSize = 4;
    if (type == "stsz" || type == "stz2") return kVersionAndFlags + kSize;
    return type == "trun" ? kVersionAndFlags : -1;
}

}  // namespace

std::optional<std::string> impossibleMp4Samples(const std::filesystem::path& path) {
    constexpr std::int64_t kHead = 8, kLarge = 1, kLargeHead = 16, kBeforeHandler = 8;
    // QuickTime counts the samples of compressed sound as they are unpacked. A few samples may be empty.
    constexpr std::int64_t kMostOfAByte = 64, kMostOfSound = 1 << 24, kEmpty = 1024;
    ByteWalk file(path);
    const std::int64_t most = file.size() + kEmpty;
    const std::int64_t mostOfSound = std::max(most, std::min(kMostOfAByte * file.size(), kMostOfSound));
    std::int64_t samples = 0;
    bool isSound = false;
    while (file.at() + kHead <= file.size()) {
        const std::int64_t place = file.at();
        const std::int64_t size = file.number(4, std::endian::big);
        const std::string type = file.text(4);
        if (place == 0 && !isOneOf(type, kFirst)) return std::nullopt;
        const std::int64_t rest =
            size == kLarge ? file.number(8, std::endian::big) - kLargeHead : size - kHead;
        if (rest < 0) return std::nullopt;
        if (isOneOf(type, kParents)) continue;
        const std::int64_t next = file.at() + rest;
        if (const int before = beforeCount(type); before >= 0) {
            file.skip(before);
            samples += file.number(4, std::endian::big);
            if (samples > (isSound ? mostOfSound : most))
                return "its lists say that it has " + std::to_string(samples) + " samples in " +
                       std::to_string(file.size()) + " bytes";
        }
        if (type == "hdlr") {
            file.skip(kBeforeHandler);
            isSound |= file.text(4) == "soun";
        }
        file.skip(next - file.at());
    }
    return std::nullopt;
}

}  // namespace reelgrid::media
