#include "core/media/mp4_counts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/media/byte_walk.h"
#include "core/media/mp4_box.h"

namespace reelgrid::media {
namespace {

/// Boxes of which FFmpeg reads what they hold (ISO/IEC 14496-12, 6.2; QuickTime File Format).
constexpr std::array<std::string_view, 13> kParents{"moov", "trak", "mdia", "minf", "stbl", "moof", "traf",
                                                    "mvex", "edts", "dinf", "udta", "tref", "wave"};

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
    constexpr std::int64_t kBeforeHandler = 8;
    constexpr std::size_t kMostWithin = 16;
    // QuickTime counts the samples of compressed sound as they are unpacked. A few samples may be empty.
    constexpr std::int64_t kMostOfAByte = 64, kMostOfSound = 1 << 24, kEmpty = 1024;
    ByteWalk file(path);
    const std::int64_t most = file.size() + kEmpty;
    const std::int64_t mostOfSound = std::max(most, std::min(kMostOfAByte * file.size(), kMostOfSound));
    std::int64_t samples = 0;
    bool isSound = false;
    std::vector<std::int64_t> ends{file.size()};  // of the boxes around
    while (!ends.empty()) {
        const std::int64_t place = file.at(), end = ends.back();
        if (place + kBoxHeadBytes > end) {
            file.skip(end - place);
            ends.pop_back();
            continue;
        }
        const auto [type, rest, isOpen] = boxHead(file);
        // As FFmpeg has it, damaged sizes end where the box around does.
        const std::int64_t next = rest >= 0 ? file.at() + std::min(rest, end - file.at()) : end;
        if ((rest >= 0 || isOpen) && isOneOf(type, kParents) && ends.size() < kMostWithin) {
            ends.push_back(next);
            continue;
        }
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
