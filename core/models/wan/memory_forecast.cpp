#include "core/models/wan/memory_forecast.h"

#include <algorithm>

#include "core/denoising/loaded_blocks.h"
#include "core/denoising/process_memory.h"
#include "core/families/offered_tasks.h"
#include "core/models/layers/guidance_caches.h"
#include "core/models/wan/checkpoint.h"
#include "core/models/wan/prompt.h"
#include "core/models/wan/transformer_memory.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/vae/wan21/working_memory.h"

namespace reelgrid::models::wan {
namespace {

using denoising::Encoders;
using denoising::Offload;

constexpr std::int64_t kFp32 = 4;

std::uint64_t unsignedOf(std::int64_t count) {
    return static_cast<std::uint64_t>(count);
}

/// One expert: what lies on the device all the time.
std::uint64_t transformerBytes(const WanTransformerConfig& config, const denoising::LoadOptions& options) {
    return weightBytes(config, options.dtype, options.execution.device, denoising::blockOptions(options));
}

/// All but the table of embeddings, which stays in its file.
std::uint64_t textEncoderBytes(const text::Umt5Config& config, at::ScalarType dtype) {
    const std::int64_t attention = 4 * config.innerSize() * config.modelSize;
    const std::int64_t wide = 3 * config.feedForwardSize * config.modelSize;
    return unsignedOf(config.layers * (attention + wide)) * c10::elementSize(text::t5Dtype(dtype));
}

std::uint64_t imageEncoderBytes(const vision::ClipVisionConfig& config) {
    const std::int64_t layer =
        4 * config.hiddenSize * config.hiddenSize + 2 * config.hiddenSize * config.intermediateSize;
    return unsignedOf((config.numHiddenLayers - 1) * layer * kFp32);
}

bool hasComponent(const families::ModelInfo& model, const char* name) {
    return std::ranges::any_of(
        model.components, [&](const families::ComponentInfo& component) { return component.name == name; });
}

/// Keys and values of the prompts in every layer, and of pictures.
std::uint64_t promptBytes(const WanTransformerConfig& config, const catalog::RenderSettings& settings,
                          const denoising::LoadOptions& options) {
    constexpr std::int64_t kPicturePositions = 257;
    const std::int64_t positions = kMaxPromptTokens + (config.imageDim > 0 ? kPicturePositions : 0);
    return textBytes(config, options.dtype, settings.guidanceScale > 1 ? 2 : 1, positions);
}

}  // namespace

denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available) {
    const Checkpoint files(model.folder);
    const auto config = WanTransformerConfig::from(files.config("transformer"));
    const vae::wan21::VaeCheckpoint vae = files.vae();
    const bool encodes = settings.imgFilePath.has_value();
    const bool isKept = options.encoders == Encoders::Kept, onCpu = options.execution.device.is_cpu();

    const std::uint64_t text = textEncoderBytes(files.textEncoder().config, options.dtype);
    const std::uint64_t image =
        hasComponent(model, "image_encoder") ? imageEncoderBytes(files.imageEncoder().config) : 0;
    const vae::wan21::Computing inVae{.dtype = options.vaeDtype, .device = options.execution.device};
    std::uint64_t always = vae::wan21::weightBytes(
        vae.config,
        families::takesPictures(model) ? vae::wan21::WanVaeParts::Both : vae::wan21::WanVaeParts::Decoder,
        inVae);
    // On a GPU only what libtorch hands out is counted.
    if (onCpu) always += denoising::kProcessBytes;
    const std::uint64_t transformer = transformerBytes(config, options);
    const std::uint64_t kept = isKept ? text + image : 0;
    always += transformer;
    if (hasComponent(model, "transformer_2") && options.offload == Offload::None &&
        available > always + kept + transformer + transformer / 2)
        always += transformer;

    const std::int64_t latentFrames = (settings.numFrames - 1) / vae.config.temporalFactor() + 1;
    const std::int64_t edge = vae.config.spatialFactor();
    const std::int64_t tokens = latentFrames * (settings.height / (edge * config.patchSize[1])) *
                                (settings.width / (edge * config.patchSize[2]));
    const vae::wan21::ClipSize clip{
        .frames = settings.numFrames, .height = settings.height, .width = settings.width};
    // In tiles where they are asked for, or where the whole wouldn't fit.
    const auto work = [&](const auto& bytesOf) {
        const auto tiles = vae::Tiling::ofEdge(settings.vaeTilePx, edge);
        const std::uint64_t whole = bytesOf(vae.config, clip, std::nullopt, inVae);
        const bool tiled = settings.vaeTiling == protocol::kTilingOn ||
                           (settings.vaeTiling == protocol::kTilingAuto && always + kept + whole > available);
        return tiled ? std::min(whole, bytesOf(vae.config, clip, tiles, inVae)) : whole;
    };
    const std::uint64_t held = always + kept + promptBytes(config, settings, options);
    const std::uint64_t cached =
        guidanceCacheBytes(settings.stepCache, settings.guidanceScale, tokens, config.innerDim());
    std::vector<denoising::MemoryForecast> stages{
        {always + (isKept ? kept : text), "text"},
        {held + activationBytes(config, options.dtype, tokens) + cached, "denoise"},
        {always + kept + work(vae::wan21::bytesToDecode), "decode"}};
    if (encodes) {
        stages.push_back({always + (isKept ? kept : image) + work(vae::wan21::bytesToEncode), "image"});
    }
    return *std::ranges::max_element(stages, {}, &denoising::MemoryForecast::peak);
}

}  // namespace reelgrid::models::wan
