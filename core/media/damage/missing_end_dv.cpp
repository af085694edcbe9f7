#include <array>
#include <cstdint>

extern "C" {
#include <libavcodec/dv_profile.h>
}

#include "core/media/damage/byte_walk.h"
#include "core/media/damage/missing_end.h"

namespace reelgrid::media {

std::optional<std::string> missingEndOfDv(const std::filesystem::path& path) {
    // Six blocks of 80 bytes say which kind of DV it is.
    std::array<std::uint8_t, 6 * 80> start{};
    ByteWalk file(path);
    for (std::uint8_t& byte : start) byte = std::uint8_t(file.byte());
    const AVDVProfile* kind = av_dv_frame_profile(nullptr, start.data(), unsigned(start.size()));
    const bool beginsWithFrame = start[0] == 0x1F && start[1] == 0x07 && start[2] == 0x00;
    if (!beginsWithFrame) return noPart(0, "frame of DV");
    if (kind == nullptr || file.size() % kind->frame_size == 0) return std::nullopt;
    return bytesMissing(file.size(), (file.size() / kind->frame_size + 1) * kind->frame_size);
}

}  // namespace reelgrid::media
