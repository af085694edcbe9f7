#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace reelgrid::protocol {

/// What a render will take, known before it is started.
struct RenderForecast {
    std::string device;                      ///< "cpu", "cuda:0": where it will run
    std::string offload;                     ///< kOffloadNone or kOffloadBlocks: what will be chosen
    std::optional<std::uint64_t> peakBytes;  ///< of the device's memory; absent: the family predicts none
    std::string stage;                       ///< in which that is: text, image, denoise, decode
    /// Of the device's memory, with what this worker holds for other models; absent: nobody tells.
    std::optional<std::uint64_t> freeBytes;
    std::uint64_t keptFrameBytes = 0;  ///< that the frames kept without loss will take on disk, about
    std::vector<std::string>
        ways;            ///< options that take less: "--offload blocks"; a smaller size always does
    bool tiles = false;  ///< whether the VAE will work in tiles

    [[nodiscard]] bool fits() const { return !peakBytes || !freeBytes || *peakBytes <= *freeBytes; }
    bool operator==(const RenderForecast&) const = default;
};

}  // namespace reelgrid::protocol
