#include "tests/metrics/test_clips.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace reelgrid::metrics::test {

media::RgbVideo movingClip(int width, int height, int frames, double speed, int noise, unsigned seed) {
    std::mt19937 random(seed);
    media::RgbVideo video{width, height, {16, 1}, {}};
    for (int f = 0; f < frames; ++f)
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                for (int c = 0; c < 3; ++c) {
                    const double wave = std::sin(0.2 * x + 0.11 * y * (c + 1) + speed * f);
                    const int jitter = noise > 0 ? int(random() % unsigned(2 * noise + 1)) - noise : 0;
                    video.pixels.push_back(std::uint8_t(std::clamp(int(128 + 90 * wave) + jitter, 0, 255)));
                }
    return video;
}

media::RgbVideo solidClip(int width, int height, int frames, int code) {
    media::RgbVideo video{width, height, {16, 1}, {}};
    video.pixels.assign(video.frameBytes() * std::size_t(frames), std::uint8_t(code));
    return video;
}

}  // namespace reelgrid::metrics::test
