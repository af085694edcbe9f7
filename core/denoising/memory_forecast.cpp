#include "core/denoising/memory_forecast.h"

#include <algorithm>
#include <vector>

#include "core/denoising/process_memory.h"
#include "core/denoising/video_model.h"

namespace reelgrid::denoising {
namespace {

/// What the VAE works in beside what is `held`: in tiles where they are asked for, or where the whole
/// wouldn't fit.
template <class BytesOf>
std::uint64_t vaeBytes(const BytesOf& bytesOf, const vae::Tiling& tiles,
                       const catalog::RenderSettings& settings, std::uint64_t held, std::uint64_t available) {
    const std::uint64_t whole = bytesOf(std::nullopt);
    const bool isTiled = settings.vaeTiling == protocol::kTilingOn ||
                         (settings.vaeTiling == protocol::kTilingAuto && held + whole > available);
    return isTiled ? std::min(whole, bytesOf(tiles)) : whole;
}

}  // namespace

std::int64_t tokensOfRank(const catalog::RenderSettings& settings, std::int64_t tokens) {
    const std::int64_t ranks =
        std::int64_t(settings.ulyssesDegree.value_or(1)) * settings.ringDegree.value_or(1);
    return (tokens + ranks - 1) / ranks;
}

std::int64_t bytesPerValue(const catalog::RenderSettings& settings) {
    return settings.dtype == "fp32" ? 4 : 2;
}

MemoryForecast forecastOf(const ModelMemory& model, const catalog::RenderSettings& settings,
                          const LoadOptions& options, std::uint64_t available) {
    const bool isKept = options.encoders == Encoders::Kept;
    const std::uint64_t kept = isKept ? model.textEncoders + model.imageEncoder : 0;
    std::uint64_t always = model.network + model.vae->weightBytes();
    // On a GPU only what libtorch hands out is counted.
    if (options.execution.device.is_cpu()) always += kProcessBytes;
    const std::uint64_t second = model.secondNetwork;
    if (second > 0 && options.offload == Offload::None && available > always + kept + second + second / 2)
        always += second;

    const std::uint64_t held = always + kept;
    const vae::Tiling tiles = model.vae->tilingOf(settings.vaeTilePx);
    const vae::ClipSize clip = decodedTogether(settings);
    const auto decode = [&](const std::optional<vae::Tiling>& tiling) {
        return model.vae->bytesToDecode(clip, tiling);
    };
    std::vector<MemoryForecast> stages{{always + (isKept ? kept : model.textEncoders), "text"},
                                       {held + model.prompts + model.pass + model.caches, "denoise"},
                                       {held + vaeBytes(decode, tiles, settings, held, available), "decode"}};
    if (model.encodedFrames > 0) {
        const vae::ClipSize given{model.encodedFrames, settings.height, settings.width};
        const auto encode = [&](const std::optional<vae::Tiling>& tiling) {
            return model.vae->bytesToEncode(given, tiling);
        };
        stages.push_back({always + (isKept ? kept : model.imageEncoder) +
                              vaeBytes(encode, tiles, settings, held, available),
                          "image"});
    }
    return *std::ranges::max_element(stages, {}, &MemoryForecast::peak);
}

}  // namespace reelgrid::denoising
