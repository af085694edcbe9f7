#include "core/models/wan/memory_forecast.h"

#include "core/denoising/guidance.h"
#include "core/denoising/latent_shape.h"
#include "core/denoising/loaded_blocks.h"
#include "core/denoising/step_caches.h"
#include "core/families/has_component.h"
#include "core/models/wan/checkpoint.h"
#include "core/models/wan/prompt.h"
#include "core/models/wan/transformer.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/vision/clip_vision_encoder.h"

namespace reelgrid::models::wan {

denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available) {
    const Checkpoint files(model.source());
    const auto config = WanTransformerConfig::from(files.config("transformer"));
    const bool hasImages = families::hasComponent(model, "image_encoder");
    denoising::ModelMemory memory;
    memory.network = WanTransformer::weightBytes(config, options.dtype, options.execution.device,
                                                 denoising::blockOptions(options));
    if (families::hasComponent(model, "transformer_2")) memory.secondNetwork = memory.network;
    memory.textEncoders = text::t5WeightBytes(files.textEncoder().config, options.dtype);
    if (hasImages) memory.imageEncoder = vision::ClipVisionEncoder::weightBytes(files.imageEncoder().config);
    // Keys and values of the prompts in every layer, and of pictures.
    constexpr std::int64_t kPicturePositions = 257;
    const std::int64_t prompts = denoising::isGuided(settings) ? 2 : 1;
    memory.prompts = WanTransformer::textBytes(
        config, options.dtype, prompts * (kMaxPromptTokens + (config.imageDim > 0 ? kPicturePositions : 0)));
    memory.vae = vae::wan21::WanVae::described(
        files.vae().config, {options.vaeDtype, options.execution.device}, denoising::vaePartsOf(model));
    const std::int64_t tokens = denoising::tokensOfRank(
        settings, config.tokensOf(denoising::latentShape(memory.vae->shape(), settings)));
    memory.pass = WanTransformer::passBytes(config, options.dtype, tokens);
    memory.caches = denoising::stepCacheBytes(settings, tokens, config.innerDim(),
                                              config.outChannels * config.patchVolume());
    if (settings.imgFilePath)
        memory.encodedFrames = config.encodedFramesOf(memory.vae->shape().zDim, settings.numFrames);
    return denoising::forecastOf(memory, settings, options, available);
}

parallel::PassWork passWork(const families::ModelInfo& model, const catalog::RenderSettings& settings) {
    const Checkpoint files(model.source());
    const auto config = WanTransformerConfig::from(files.config("transformer"));
    const auto vae = vae::wan21::WanVae::described(files.vae().config, {at::kFloat, at::kCPU},
                                                   denoising::vaePartsOf(model));
    const std::int64_t tokens = config.tokensOf(denoising::latentShape(vae->shape(), settings));
    const double n = double(tokens), c = double(config.innerDim()), layers = double(config.numLayers);
    const double patch = double(config.patchVolume());
    // Keys and values of the text are kept from step to step.
    const double projections = 8 * c * c, crossAttention = 4 * c * c + 4 * double(kMaxPromptTokens) * c,
                 feedForward = 4 * c * double(config.ffnDim),
                 ends = 2 * c * patch * double(config.inChannels + config.outChannels);
    return {.layers = config.numLayers,
            .heads = config.numAttentionHeads,
            .channels = config.innerDim(),
            .tokens = tokens,
            .attentionFlops = layers * 4 * n * n * c,
            .otherFlops = n * (layers * (projections + crossAttention + feedForward) + ends),
            .outputValues = config.patchVolume() * config.outChannels,
            .bytesPerValue = denoising::bytesPerValue(settings),
            .layerBytes = static_cast<std::uint64_t>((8 * c * c + 2 * c * double(config.ffnDim)) *
                                                     double(denoising::bytesPerValue(settings)))};
}

}  // namespace reelgrid::models::wan
