#include "core/denoising/memory_forecast.h"

#include <algorithm>
#include <vector>

#include "core/denoising/cublas_memory.h"
#include "core/denoising/process_memory.h"
#include "core/denoising/video_model.h"

namespace reelgrid::denoising {
namespace {

struct VaeMemory {
    std::uint64_t bytes = 0;
    bool isTiled = false;
};

/// What the VAE works in beside what is `held`: in tiles where they are asked for, or where the whole
/// wouldn't fit and they take less.
template <class BytesOf>
VaeMemory vaeMemory(const BytesOf& bytesOf, const vae::Tiling& tiles, const catalog::RenderSettings& settings,
                    std::uint64_t held, std::uint64_t available) {
    const std::uint64_t whole = bytesOf(std::nullopt);
    const bool isAsked = settings.vaeTiling == protocol::kTilingOn;
    if (!isAsked && (settings.vaeTiling != protocol::kTilingAuto || held + whole <= available))
        return {whole, false};
    const std::uint64_t tiled = bytesOf(tiles);
    return {std::min(whole, tiled), isAsked || tiled < whole};
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
    always += cublasBytes(options.execution.device, settings);
    const std::uint64_t second = model.secondNetwork;
    if (second > 0 && options.offload == Offload::None && available > always + kept + second + second / 2)
        always += second;

    const std::uint64_t held = always + kept;
    const vae::Tiling tiles = model.vae->tilingOf(settings.vaeTilePx);
    const vae::ClipSize clip = decodedTogether(settings);
    const auto decode = [&](const std::optional<vae::Tiling>& tiling) {
        return model.vae->bytesToDecode(clip, tiling);
    };
    const VaeMemory decoding = vaeMemory(decode, tiles, settings, held, available);
    std::vector<MemoryForecast> stages{{always + (isKept ? kept : model.textEncoders), "text"},
                                       {held + model.prompts + model.pass + model.caches, "denoise"},
                                       {held + decoding.bytes, "decode"}};
    bool isTiled = decoding.isTiled;
    if (model.encodedFrames > 0) {
        const vae::ClipSize given{model.encodedFrames, settings.height, settings.width};
        const auto encode = [&](const std::optional<vae::Tiling>& tiling) {
            return model.vae->bytesToEncode(given, tiling);
        };
        const VaeMemory encoding = vaeMemory(encode, tiles, settings, held, available);
        stages.push_back({always + (isKept ? kept : model.imageEncoder) + encoding.bytes, "image"});
        isTiled = isTiled || encoding.isTiled;
    }
    MemoryForecast fullest = *std::ranges::max_element(stages, {}, &MemoryForecast::peak);
    fullest.tiles = isTiled;
    return fullest;
}

}  // namespace reelgrid::denoising
