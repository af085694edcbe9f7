#include "tests/cli/small_clip.h"

#include <algorithm>

#include "core/media/writer.h"

namespace reelgrid::cli {

void writeSmallClip(const std::filesystem::path& path, int frames, int shade) {
    constexpr int kSquare = 12;
    media::RgbVideo video{.width = 64, .height = 48, .fps = {16, 1}, .pixels = {}};
    video.pixels.assign(video.frameBytes() * std::size_t(frames), std::uint8_t(shade));
    for (int frame = 0; frame < frames; ++frame)
        for (int y = 16; y < 16 + kSquare; ++y)
            for (int x = 3 * frame; x < std::min(64, 3 * frame + kSquare); ++x)
                for (int channel = 0; channel < 3; ++channel)
                    video.pixels[video.frameBytes() * std::size_t(frame) +
                                 std::size_t((y * 64 + x) * 3 + channel)] = 230;
    media::writeClip(path, video).value();
}

}  // namespace reelgrid::cli
