#include "core/models/cogvideox/memory_forecast.h"

#include <algorithm>
#include <vector>

#include "core/denoising/loaded_blocks.h"
#include "core/denoising/process_memory.h"
#include "core/families/model_index.h"
#include "core/families/offered_tasks.h"
#include "core/models/cogvideox/transformer_memory.h"
#include "core/models/layers/guidance_caches.h"
#include "core/text/encoders/t5_encoder.h"
#include "core/vae/cogvideox/cogvideox_vae.h"
#include "core/vae/cogvideox/working_memory.h"
#include "core/weights/model_config.h"

namespace reelgrid::models::cogvideox {
namespace {

using denoising::Encoders;

std::uint64_t unsignedOf(std::int64_t count) {
    return static_cast<std::uint64_t>(count);
}

/// All but the table of embeddings, which stays in its file.
std::uint64_t textEncoderBytes(const text::T5Config& config, at::ScalarType dtype) {
    const std::int64_t attention = 4 * config.innerSize() * config.modelSize;
    const std::int64_t wide = 3 * config.feedForwardSize * config.modelSize;
    return unsignedOf(config.layers * (attention + wide)) * c10::elementSize(text::t5Dtype(dtype));
}

/// What a render does to the VAE, and so how much it takes.
struct VaeWork {
    const vae::cogvideox::CogVideoXVaeConfig& config;
    const catalog::RenderSettings& settings;
    vae::cogvideox::ClipSize clip;

    /// In tiles where they are asked for, or where the whole wouldn't fit beside what is `held`.
    template <class BytesOf>
    [[nodiscard]] std::uint64_t bytes(const BytesOf& bytesOf, std::int64_t frames, std::uint64_t held,
                                      std::uint64_t available) const {
        vae::cogvideox::ClipSize part = clip;
        part.frames = frames;
        const std::uint64_t whole = bytesOf(config, part, std::nullopt);
        const bool tiled = settings.vaeTiling == protocol::kTilingOn ||
                           (settings.vaeTiling == protocol::kTilingAuto && held + whole > available);
        return tiled ? std::min(whole, bytesOf(config, part, config.tilingOf(settings.vaeTilePx))) : whole;
    }
};

}  // namespace

denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available) {
    const families::ModelIndex index = families::ModelIndex::read(model.folder).value();
    const auto config =
        CogVideoXTransformerConfig::from(weights::ModelConfig::read(index.pathOf("transformer")));
    const auto vae =
        vae::cogvideox::CogVideoXVaeConfig::from(weights::ModelConfig::read(index.pathOf("vae")));
    const auto text = textEncoderBytes(
        text::T5Config::read(weights::ModelConfig::read(index.pathOf("text_encoder"))), options.dtype);
    const bool isKept = options.encoders == Encoders::Kept, onCpu = options.execution.device.is_cpu();

    std::uint64_t always =
        weightBytes(config, options.dtype, options.execution.device, denoising::blockOptions(options)) +
        vae::cogvideox::weightBytes(vae, options.vaeDtype, options.execution.device,
                                    families::takesPictures(model));
    // On a GPU only what libtorch hands out is counted.
    if (onCpu) always += denoising::kProcessBytes;
    const std::uint64_t held = always + (isKept ? text : 0);

    const std::int64_t edge = vae.spatialFactor() * config.patchSize;
    const std::int64_t latentFrames = (settings.numFrames - 1) / vae.temporalFactor() + 1;
    const std::int64_t grid = (latentFrames + config.patchFrames() - 1) / config.patchFrames();
    const std::int64_t tokens = grid * (settings.height / edge) * (settings.width / edge);
    const VaeWork work{vae,
                       settings,
                       {.frames = settings.numFrames,
                        .height = settings.height,
                        .width = settings.width,
                        .dtype = options.vaeDtype,
                        .device = options.execution.device}};
    const std::uint64_t cached =
        guidanceCacheBytes(settings.stepCache, settings.guidanceScale, tokens, config.innerDim());
    std::vector<denoising::MemoryForecast> stages{
        {always + text, "text"},
        {held + activationBytes(config, options.dtype, tokens) + cached, "denoise"},
        {held + work.bytes(vae::cogvideox::bytesToDecode, settings.numFrames, held, available), "decode"}};
    if (settings.imgFilePath)
        stages.push_back({held + work.bytes(vae::cogvideox::bytesToEncode, 1, held, available), "image"});
    return *std::ranges::max_element(stages, {}, &denoising::MemoryForecast::peak);
}

}  // namespace reelgrid::models::cogvideox
