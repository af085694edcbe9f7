#include "core/models/cogvideox/video_model.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/denoising/gemm_record.h"
#include "core/denoising/guided_denoiser.h"
#include "core/denoising/loaded_transformer.h"
#include "core/families/model_index.h"
#include "core/families/offered_tasks.h"
#include "core/models/cogvideox/latent_shape.h"
#include "core/models/cogvideox/lora_names.h"
#include "core/models/cogvideox/pictures.h"
#include "core/models/cogvideox/prompt.h"
#include "core/models/cogvideox/prompted_transformer.h"
#include "core/schedulers/scheduler.h"
#include "core/vae/cogvideox/cogvideox_vae.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns.

namespace reelgrid::models::cogvideox {
namespace {

namespace fs = std::filesystem;

using Transformer = denoising::LoadedTransformer<CogVideoXTransformer>;

Transformer loadTransformer(const fs::path& folder, const denoising::LoadOptions& options) {
    auto source = std::make_unique<weights::LoraWeights>(std::make_unique<weights::SafetensorsFolder>(folder),
                                                         options.loras, loraNames);
    return {std::move(source), options.loras, options, [&](weights::WeightSource& from) {
                return CogVideoXTransformer(
                    CogVideoXTransformerConfig::from(weights::ModelConfig::read(folder)),
                    weights::WeightScope(from, options.dtype, options.execution.device),
                    denoising::blockOptions(options), denoising::timeProducts(options));
            }};
}

vae::cogvideox::CogVideoXVae loadVae(const fs::path& folder, vae::VaeParts parts,
                                     const denoising::LoadOptions& options) {
    weights::SafetensorsFolder source(folder);
    return {weights::WeightScope(source, options.vaeDtype, options.execution.device),
            vae::cogvideox::CogVideoXVaeConfig::from(weights::ModelConfig::read(folder)),
            {.parts = parts}};
}

/// The reference's formula, which takes the training timestep for a step.
double dynamicScale(double scale, int steps, double timestep) {
    const double turn = std::pow((steps - timestep) / steps, 5.0);
    return 1 + scale * ((1 - std::cos(std::numbers::pi * turn)) / 2);
}

denoising::Guidance guidanceOf(const catalog::RenderSettings& settings,
                               const schedulers::Scheduler& scheduler) {
    auto guidance = denoising::Guidance::from(settings);
    if (guidance.scale && settings.useDynamicCfg)
        guidance.scale = [scale = settings.guidanceScale, timesteps = scheduler.timesteps()](int step) {
            return dynamicScale(scale, static_cast<int>(timesteps.size()),
                                timesteps[static_cast<std::size_t>(step)]);
        };
    return guidance;
}

/// The reference draws frames before channels.
at::Tensor drawLatents(denoising::LatentNoise& noise, const std::vector<std::int64_t>& shape_BTCHW) {
    return noise.draw(shape_BTCHW).transpose(1, 2).contiguous();
}

class CogVideoXDenoiser final : public denoising::GuidedDenoiser {
  public:
    CogVideoXDenoiser(Parts parts, std::vector<std::int64_t> noise_BTCHW, LatentFrames frames,
                      const execution::Execution& execution, denoising::StageClock& clock)
        : GuidedDenoiser(std::move(parts), execution, clock),
          m_noise_BTCHW(std::move(noise_BTCHW)),
          m_frames(frames) {}

    [[nodiscard]] at::Tensor initialLatents() override {
        return drawLatents(noise(), m_noise_BTCHW) * scheduler().initialNoiseSigma();
    }
    [[nodiscard]] at::Tensor finished(at::Tensor latents_BCTHW) override {
        return latents_BCTHW.narrow(2, m_frames.padding, m_frames.clip).contiguous();
    }

  private:
    std::vector<std::int64_t> m_noise_BTCHW;
    LatentFrames m_frames;
};

class CogVideoXVideoModel final : public denoising::VideoModel {
  public:
    CogVideoXVideoModel(const families::ModelInfo& model, const families::ModelIndex& index,
                        const denoising::LoadOptions& options)
        : m_options(options),
          m_transformer(loadTransformer(index.pathOf("transformer"), options)),
          m_text(promptMemory(index, m_transformer->config().maxTextSeqLength, options)),
          m_vae(loadVae(index.pathOf("vae"), vaePartsOf(model), options)),
          m_schedulerConfig(weights::ModelConfig::read(index.pathOf("scheduler"), "scheduler_config.json")) {
        requireFittingParts(model, textEncoderConfig(index).modelSize);
    }

    std::unique_ptr<denoising::Denoiser> prepare(const catalog::RenderSettings& settings,
                                                 denoising::StageClock& clock) override;
    [[nodiscard]] const vae::VideoVae& vae() const override { return m_vae; }
    [[nodiscard]] std::uint64_t passBytes(const catalog::RenderSettings& settings) const override {
        const CogVideoXTransformerConfig& config = m_transformer->config();
        return CogVideoXTransformer::passBytes(config, m_options.dtype,
                                               tokensOf(config, m_vae.shape(), settings));
    }
    [[nodiscard]] int encodedFrames(const catalog::RenderSettings& settings) const override {
        return settings.imgFilePath ? 1 : 0;
    }
    [[nodiscard]] std::optional<result::GemmRecord> gemms() const override {
        return denoising::gemmRecordOf(m_options, multipliesFp8(device()));
    }
    [[nodiscard]] at::Device device() const override { return m_options.execution.device; }

  private:
    void requireFittingParts(const families::ModelInfo& model, std::int64_t textChannels) const;

    denoising::LoadOptions m_options;
    Transformer m_transformer;
    denoising::PromptMemory m_text;
    vae::cogvideox::CogVideoXVae m_vae;
    weights::ModelConfig m_schedulerConfig;
};

/// The transformer's channels are the latents', and a picture's beside them in an image-to-video pipeline.
void CogVideoXVideoModel::requireFittingParts(const families::ModelInfo& model,
                                              std::int64_t textChannels) const {
    const CogVideoXTransformerConfig& dit = m_transformer->config();
    const std::int64_t z = m_vae.config().zDim, in = families::takesPictures(model) ? 2 * z : z;
    if (dit.inChannels == in && dit.outChannels == z && dit.textEmbedDim == textChannels) return;
    const auto words = [](std::int64_t ins, std::int64_t outs, std::int64_t texts) {
        return "in_channels " + std::to_string(ins) + ", out_channels " + std::to_string(outs) +
               ", text_embed_dim " + std::to_string(texts);
    };
    throw Failure(ErrorCode::InvalidData, (model.folder / "transformer").string() + " has " +
                                              words(dit.inChannels, dit.outChannels, dit.textEmbedDim) +
                                              "; " + words(in, z, textChannels) +
                                              " were needed for this pipeline, VAE and text encoder");
}

std::unique_ptr<denoising::Denoiser> CogVideoXVideoModel::prepare(const catalog::RenderSettings& settings,
                                                                  denoising::StageClock& clock) {
    const LatentFrames frames = latentFramesOf(m_transformer->config(), m_vae.shape(), settings);
    const std::int64_t spatial = m_vae.config().spatialFactor();
    const std::vector<std::int64_t> shape_BTCHW{1, frames.all(), m_vae.config().zDim,
                                                settings.height / spatial, settings.width / spatial};
    // One stream: first a picture's noise, then the clip's, then each step's.
    auto noise = std::make_unique<denoising::LatentNoise>(settings, device());
    auto scheduler = schedulers::makeScheduler(
        m_schedulerConfig, {settings.scheduler, {}},
        [&stream = *noise, shape_BTCHW] { return drawLatents(stream, shape_BTCHW); });
    scheduler->setTimesteps(settings.numInferenceSteps);
    at::Tensor picture_BCTHW;
    if (settings.imgFilePath)
        picture_BCTHW = pictureLatents(settings, m_vae, frames.all(), device(), *noise, clock);
    const denoising::EncodedPrompts prompts = denoising::encodePrompts(m_text, settings, clock);
    auto guidance = guidanceOf(settings, *scheduler);
    denoising::GuidedDenoiser::Parts parts{
        std::make_unique<PromptedTransformer>(*m_transformer, prompts, picture_BCTHW), std::move(noise),
        std::move(scheduler), std::move(guidance)};
    return std::make_unique<CogVideoXDenoiser>(std::move(parts), shape_BTCHW, frames, m_options.execution,
                                               clock);
}

}  // namespace

std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options) {
    const families::ModelIndex index = families::ModelIndex::read(model.folder).value();
    return std::make_unique<CogVideoXVideoModel>(model, index, options);
}

}  // namespace reelgrid::models::cogvideox
