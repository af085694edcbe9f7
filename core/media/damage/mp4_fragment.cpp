#include "core/media/damage/mp4_fragment.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/mp4_box.h"

namespace reelgrid::media {
namespace {

/// Boxes of a moof and of a traf. FFmpeg passes over others, and the frames that they listed.
constexpr std::array<std::string_view, 7> kOfMoof{"mfhd", "traf", "pssh", "meta", "uuid", "free", "skip"};
constexpr std::array<std::string_view, 16> kOfTraf{"tfhd", "tfdt", "trun", "sdtp", "sbgp", "sgpd",
                                                   "csgp", "subs", "saiz", "saio", "senc", "meta",
                                                   "uuid", "udta", "free", "skip"};
constexpr std::int64_t kVersionAndFlags = 4, kField = 4, kWideField = 8;

std::int64_t fieldsOf(std::uint64_t flags) {
    return kField * std::popcount(flags);
}

/// Reads its track's number; whether a tfhd is as large as its flags say (8.8.7).
bool readTrackHead(ByteWalk& file, const BoxHead& tfhd, std::int64_t& track) {
    constexpr std::uint64_t kOffset = 0x1, kDefaults = 0x3A;
    const auto flags = std::uint64_t(file.number(4, std::endian::big));
    track = file.number(4, std::endian::big);
    const std::int64_t offset = (flags & kOffset) != 0 ? kWideField : 0;
    return tfhd.rest == kVersionAndFlags + kField + offset + fieldsOf(flags & kDefaults);
}

/// Adds the samples of a trun; whether it is as large as its flags and its number of samples say (8.8.8).
bool addRun(ByteWalk& file, const BoxHead& trun, FragmentHead& to, std::int64_t track) {
    constexpr std::uint64_t kBefore = 0x5, kDuration = 0x100, kSize = 0x200, kOfSample = 0xF00;
    const auto flags = std::uint64_t(file.number(4, std::endian::big));
    const std::int64_t samples = file.number(4, std::endian::big);
    const std::int64_t each = fieldsOf(flags & kOfSample), before = fieldsOf(flags & kBefore);
    if (trun.rest != kVersionAndFlags + kField + before + samples * each) return false;
    to.samples[track] += samples;
    if ((flags & kSize) == 0) return true;
    const std::int64_t beforeSize = fieldsOf(flags & kDuration);
    file.skip(before);
    for (std::int64_t i = 0; i < samples; ++i) {
        file.skip(beforeSize);
        to.sampleBytes += file.number(4, std::endian::big);
        file.skip(each - beforeSize - kField);
    }
    return true;
}

}  // namespace

FragmentHead fragmentHead(const std::filesystem::path& path, std::int64_t begin, std::int64_t end) {
    FragmentHead found;
    ByteWalk file(path);
    file.skip(begin);
    std::int64_t trackEnd = 0, track = 0;
    while (file.at() < end && end <= file.size()) {
        const std::int64_t place = file.at();
        const bool isInTrack = place < trackEnd;
        const BoxHead head = boxHead(file);
        const std::int64_t body = file.at();
        // They fill what is around them.
        bool isSound = head.rest >= 0 && head.rest <= (isInTrack ? trackEnd : end) - body &&
                       (isInTrack ? isOneOf(head.type, kOfTraf) : isOneOf(head.type, kOfMoof));
        // It has its number alone (8.8.5); a larger one would swallow what follows.
        if (head.type == "mfhd") isSound = isSound && head.rest == kVersionAndFlags + kField;
        if (isSound && head.type == "tfhd") isSound = readTrackHead(file, head, track);
        if (isSound && head.type == "trun") isSound = addRun(file, head, found, track);
        if (!isSound) {
            found.damaged = place;
            break;
        }
        if (head.type == "traf")
            trackEnd = body + head.rest;
        else
            file.skip(body + head.rest - file.at());
    }
    return found;
}

std::int64_t samplesOfFragments(const std::filesystem::path& path, std::int64_t track,
                                const std::set<std::int64_t>& others) {
    std::map<std::int64_t, std::int64_t> samples;
    ByteWalk file(path);
    while (file.at() + kBoxHeadBytes <= file.size()) {
        const BoxHead head = boxHead(file);
        if (head.rest < 0) break;
        const std::int64_t body = file.at();
        if (head.type == "moof")
            for (const auto& [of, count] : fragmentHead(path, body, body + head.rest).samples)
                samples[of] += count;
        file.skip(head.rest);
    }
    auto found = samples.find(track);
    if (found == samples.end())
        found = std::ranges::find_if(samples, [&](const auto& of) { return !others.contains(of.first); });
    return found == samples.end() ? 0 : found->second;
}

}  // namespace reelgrid::media
