#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/catalog/render_settings.h"
#include "core/denoising/load_options.h"
#include "core/vae/video_vae.h"

namespace reelgrid::denoising {

/// About how many bytes of the device a render takes at its fullest moment, the model included, and in which
/// stage that is.
struct MemoryForecast {
    std::uint64_t peak = 0;
    std::string stage;
    bool tiles = false;  ///< whether the VAE works in tiles
};

/// Of so many tokens of a pass, those that one rank computes.
std::int64_t tokensOfRank(const catalog::RenderSettings& settings, std::int64_t tokens);
/// Of a transformer's values, in the dtype.
std::int64_t bytesPerValue(const catalog::RenderSettings& settings);

/// What a family says of its parts for a render, from their configurations. Bytes on the device.
struct ModelMemory {
    std::uint64_t network = 0;        ///< its weights
    std::uint64_t secondNetwork = 0;  ///< of another one, held beside it where there is room for both
    std::uint64_t textEncoders = 0, imageEncoder = 0;
    std::uint64_t prompts = 0;           ///< kept of them while it denoises
    std::uint64_t pass = 0;              ///< what a pass works in
    std::uint64_t caches = 0;            ///< of a step cache
    std::unique_ptr<vae::VideoVae> vae;  ///< described
    int encodedFrames = 0;               ///< frames that go through its encoder at once; 0: none
};

/// The fullest stage of the render. `available` bytes decide whether a second network is held, and whether
/// the VAE works in tiles where the request leaves that open.
MemoryForecast forecastOf(const ModelMemory& model, const catalog::RenderSettings& settings,
                          const LoadOptions& options, std::uint64_t available);

}  // namespace reelgrid::denoising
