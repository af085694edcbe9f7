#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace reelgrid::media {

/// What the head of a fragment (moof) of an MP4 tells (ISO/IEC 14496-12, 8.8).
struct FragmentHead {
    std::optional<std::int64_t> damaged{};  ///< place of the first box within it that is none
    std::int64_t sampleBytes = 0;           ///< of the samples whose sizes it lists
};

/// Of the one whose boxes, behind its own head, lie there.
FragmentHead fragmentHead(const std::filesystem::path& path, std::int64_t begin, std::int64_t end);

}  // namespace reelgrid::media
