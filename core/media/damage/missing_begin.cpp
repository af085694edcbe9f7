#include <bit>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"

namespace reelgrid::media {
namespace {

/// Zeros may be before a start code (ISO/IEC 14496-10, B.1); a hole has more.
constexpr int kMostZeros = 15;

struct Begin {
    int zeros = 0;  ///< at most one more than may be there
    int next = 0;   ///< the byte behind them
};

Begin beginOf(const std::filesystem::path& path) {
    ByteWalk file(path);
    Begin begin;
    while ((begin.next = file.byte()) == 0 && begin.zeros <= kMostZeros) ++begin.zeros;
    return begin;
}

}  // namespace

std::optional<std::string> missingBeginOfAv1(const std::filesystem::path& path) {
    if (beginOf(path).zeros <= kMostZeros) return std::nullopt;
    return "it begins with zeros";
}

std::optional<std::string> missingBeginOfStartCodes(const std::filesystem::path& path) {
    const Begin begin = beginOf(path);
    if (begin.zeros > kMostZeros) return "it begins with zeros";
    return begin.zeros >= 2 && begin.next == 1 ? std::nullopt : std::optional(noPart(0, "start code"));
}

std::optional<std::string> missingPartsOfNalUnits(const std::filesystem::path& path) {
    constexpr std::int64_t kMostTail = 2048;  // a sector of a disc
    // Units have no three zeros in a row.
    if (auto missing = missingBeginOfStartCodes(path)) return missing;
    ByteWalk file(path);
    const std::string zeros(kMostZeros + 1, '\0');
    if (!file.findText(zeros)) return std::nullopt;
    const std::int64_t place = file.at() - std::int64_t(zeros.size());
    bool isPadding = file.size() - place <= kMostTail;  // it may end anywhere
    while (file.at() < file.size() && isPadding) isPadding = file.byte() == 0;
    return isPadding ? std::nullopt
                     : std::optional("it has zeros from byte " + std::to_string(place) + " on");
}

std::optional<std::string> missingPartsOfMotionJpeg(const std::filesystem::path& path) {
    constexpr std::int64_t kStartOfImage = 0xFFD8;
    // Behind a picture's end; among its codes so many may be.
    const std::string zeros = std::string("\xFF\xD9") + std::string(256, '\0');
    ByteWalk file(path);
    if (file.number(2, std::endian::big) != kStartOfImage) return noPart(0, "picture of JPEG");
    if (auto missing = unwrittenEnd(path)) return missing;
    while (file.findText(zeros)) {
        const std::int64_t place = file.at() - std::int64_t(zeros.size()) + 2;
        int next = 0;
        while (next == 0) next = file.byte();
        if (next > 0) return "it has zeros from byte " + std::to_string(place) + " on";
    }
    return std::nullopt;
}

}  // namespace reelgrid::media
