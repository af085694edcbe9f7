#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/result/manifest.h"

namespace reelgrid::comparison {

/// What is wrong with the frames that the clip's manifest says were kept, naming the file; empty: nothing.
/// Reads clip and frames once. Blocks; any thread.
std::string keptFramesFault(const std::filesystem::path& clip, const result::Manifest& manifest,
                            const std::stop_token& stop = {});

/// Where the frames of a clip are read from when it is compared.
struct ComparedFrames {
    std::filesystem::path file;  ///< frames.mkv where it is this clip's and whole, else the clip
    bool isLossless = false;
    std::string remark;  ///< why the clip, where frames had been kept or may have been; else empty
    std::string sha256;  ///< of `file` where it was looked at: of kept frames
};

/// Reads clip and frames once, to hold them to the hashes in the manifest. Blocks; any thread. Cancelled
/// counts as no frames kept.
ComparedFrames comparedFrames(const std::filesystem::path& clip, const std::stop_token& stop = {});

/// Two clips that are held against each other: both by kept frames, or else both as they are encoded. A clip
/// beside kept frames would be as far from them as encoding took it.
struct ComparedPair {
    std::filesystem::path clip, reference;  ///< where each is read from
    bool isLossless = false;
    /// Why kept frames aren't read, where one of the two has them; else empty.
    std::string remark{};
};
/// `reference` may be empty: then the clip's own frames are all there is to decide on.
ComparedPair comparedPair(const std::filesystem::path& clip, const std::filesystem::path& reference,
                          const std::stop_token& stop = {});

/// The SHA-256 of the file that a clip's frames are read from. NotFound, Io or Cancelled.
Result<std::string> hashOfCompared(const std::filesystem::path& clip, const std::stop_token& stop = {});

}  // namespace reelgrid::comparison
