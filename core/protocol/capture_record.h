#pragma once

#include <cstdint>
#include <string>

namespace reelgrid::protocol {

/// What became of a render's wish to save attention's inputs.
struct CaptureRecord {
    std::string folder;  ///< of the files; relative: beside the manifest
    std::string kernel;  ///< what their names begin with
    int rank = 0;        ///< of the process that saved them
    std::uint64_t saved = 0;
    std::uint64_t calls = 0;     ///< of attention in the whole render, of every kind
    std::uint64_t bytes = 0;     ///< of the files
    std::string why;             ///< why there are fewer than were asked for; empty: nothing to say
    std::string metadataSha256;  ///< of <kernel>_metadata.pt: ties the files to the manifest; empty: none

    bool operator==(const CaptureRecord&) const = default;
};

/// Names of the files in its folder: <kernel>_input_000000.pt, <kernel>_metadata.pt.
inline std::string captureFilePrefix(const std::string& kernel) {
    return kernel + "_input_";
}
inline std::string captureMetadataFile(const std::string& kernel) {
    return kernel + "_metadata.pt";
}
inline constexpr const char* kCaptureFileSuffix = ".pt";

}  // namespace reelgrid::protocol
