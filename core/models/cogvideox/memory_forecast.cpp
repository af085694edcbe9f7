#include "core/models/cogvideox/memory_forecast.h"

#include "core/denoising/loaded_blocks.h"
#include "core/families/model_index.h"
#include "core/models/cogvideox/latent_shape.h"
#include "core/models/cogvideox/prompt.h"
#include "core/models/cogvideox/transformer.h"
#include "core/models/layers/guidance_caches.h"
#include "core/vae/cogvideox/cogvideox_vae_files.h"
#include "core/weights/model_config.h"

namespace reelgrid::models::cogvideox {

denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available) {
    const auto index = families::ModelIndex::read(model.folder).value();
    const auto config =
        CogVideoXTransformerConfig::from(weights::ModelConfig::read(index.pathOf("transformer")));
    denoising::ModelMemory memory;
    memory.network = CogVideoXTransformer::weightBytes(config, options.dtype, options.execution.device,
                                                       denoising::blockOptions(options));
    memory.textEncoders = text::t5WeightBytes(textEncoderConfig(index), options.dtype);
    memory.vae = vae::cogvideox::openFiles(index.pathOf("vae"))
                     .describe({options.vaeDtype, options.execution.device}, vaePartsOf(model));
    const std::int64_t tokens = tokensOf(config, memory.vae->shape(), settings);
    memory.pass = CogVideoXTransformer::passBytes(config, options.dtype, tokens);
    memory.caches = guidanceCacheBytes(settings.stepCache, settings.guidanceScale, tokens, config.innerDim());
    memory.encodedFrames = settings.imgFilePath ? 1 : 0;
    return denoising::forecastOf(memory, settings, options, available);
}

}  // namespace reelgrid::models::cogvideox
