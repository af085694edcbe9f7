#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace reelgrid::media {

/// What the head of a fragment (moof) of an MP4 tells (ISO/IEC 14496-12, 8.8).
struct FragmentHead {
    std::optional<std::int64_t> damaged{};           ///< place of the first box within it that is none
    std::int64_t sampleBytes = 0;                    ///< of the samples whose sizes it lists
    std::map<std::int64_t, std::int64_t> samples{};  ///< how many it lists, by their track's number
};

/// Of the one whose boxes, behind its own head, lie there.
FragmentHead fragmentHead(const std::filesystem::path& path, std::int64_t begin, std::int64_t end);

/// How many samples all fragments of a file list of a track; if they don't know its number, of one that is
/// none of the others, whose number may have been damaged.
std::int64_t samplesOfFragments(const std::filesystem::path& path, std::int64_t track,
                                const std::set<std::int64_t>& others);

}  // namespace reelgrid::media
