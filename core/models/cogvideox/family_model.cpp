#include "core/models/cogvideox/family_model.h"

#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/denoising/guided_denoiser.h"
#include "core/denoising/latent_shape.h"
#include "core/denoising/loaded_network.h"
#include "core/denoising/named_prompts.h"
#include "core/denoising/step_caches.h"
#include "core/denoising/t5_prompts.h"
#include "core/families/model_index.h"
#include "core/families/offered_tasks.h"
#include "core/models/cogvideox/pictures.h"
#include "core/models/cogvideox/prompted_transformer.h"
#include "core/parallel/mesh.h"
#include "core/schedulers/scheduler.h"
#include "core/schedulers/scheduler_list.h"
#include "core/text/encoders/t5_encoder.h"
#include "core/vae/cogvideox/cogvideox_vae.h"
#include "core/vae/cogvideox/cogvideox_vae_files.h"
#include "core/weights/lora_names.h"
#include "core/weights/model_config.h"
#include "core/weights/weight_file.h"

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns.

namespace reelgrid::models::cogvideox {
namespace {

namespace fs = std::filesystem;

using Transformer = denoising::LoadedNetwork<CogVideoXTransformer>;

weights::ModelConfig configOf(const families::ModelIndex& index, const std::string& component,
                              const std::string& fileName = "config.json") {
    return {index.config(component, fileName).value(), (index.pathOf(component) / fileName).string()};
}

Transformer loadTransformer(const families::ModelIndex& index, const denoising::LoadOptions& options) {
    const fs::path folder = index.pathOf("transformer");
    const auto config = CogVideoXTransformerConfig::from(configOf(index, "transformer"));
    if (options.execution.mesh != nullptr) options.execution.mesh->requireHeads(config.numAttentionHeads);
    auto source = std::make_unique<weights::LoraWeights>(weights::openWeights(folder).weights, options.loras,
                                                         weights::transformerLoraNames);
    return {std::move(source), options.loras, options, [&](weights::WeightSource& from) {
                return CogVideoXTransformer(
                    config, weights::WeightScope(from, options.dtype, options.execution.device),
                    denoising::blockOptions(options), denoising::timeProducts(options));
            }};
}

vae::cogvideox::CogVideoXVae loadVae(const fs::path& folder, vae::VaeParts parts,
                                     const denoising::LoadOptions& options) {
    const auto source = weights::openWeights(folder).weights;
    return {weights::WeightScope(*source, options.vaeDtype, options.execution.device),
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
at::Tensor drawLatents(denoising::LatentNoise& noise, std::vector<std::int64_t> shape_BCTHW) {
    std::swap(shape_BCTHW[1], shape_BCTHW[2]);
    return noise.draw(shape_BCTHW).transpose(1, 2).contiguous();
}

text::T5Config textEncoderConfig(const families::ModelIndex& index) {
    return text::T5Config::read(weights::ModelConfig::read(index.pathOf("text_encoder")));
}

class CogVideoXVideoModel final : public denoising::VideoModel {
  public:
    CogVideoXVideoModel(const families::ModelInfo& model, const families::ModelIndex& index,
                        const denoising::LoadOptions& options)
        : VideoModel(options),
          m_transformer(loadTransformer(index, options)),
          m_tokenizer(denoising::loadT5Tokenizer(index.pathOf("tokenizer"), textEncoderConfig(index))),
          m_text(denoising::t5Prompts(m_tokenizer, index.pathOf("text_encoder"), textEncoderConfig(index),
                                      m_transformer->config().maxTextSeqLength, options)),
          m_vae(loadVae(index.pathOf("vae"), denoising::vaePartsOf(model), options)),
          m_schedulerConfig(schedulers::samplerConfig(configOf(index, "scheduler", "scheduler_config.json"),
                                                      schedulers::Prediction::SnrShiftedVelocity)) {
        requireFittingParts(model, textEncoderConfig(index).modelSize);
    }

    std::unique_ptr<denoising::Denoiser> prepare(const catalog::RenderSettings& settings,
                                                 denoising::StageClock& clock) override;
    [[nodiscard]] const vae::VideoVae& vae() const override { return m_vae; }
    [[nodiscard]] std::uint64_t passBytes(const catalog::RenderSettings& settings) const override {
        const CogVideoXTransformerConfig& config = m_transformer->config();
        return CogVideoXTransformer::passBytes(
            config, options().dtype, config.tokensOf(denoising::latentShape(m_vae.shape(), settings)));
    }
    [[nodiscard]] int encodedFrames(const catalog::RenderSettings& settings) const override {
        return settings.imgFilePath ? 1 : 0;
    }
    [[nodiscard]] std::vector<std::string> remarks(const catalog::RenderSettings& settings) const override;

  private:
    void requireFittingParts(const families::ModelInfo& model, std::int64_t textChannels) const;

    Transformer m_transformer;
    denoising::T5Tokenizer m_tokenizer;
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

std::vector<std::string> CogVideoXVideoModel::remarks(const catalog::RenderSettings& settings) const {
    constexpr std::int64_t kPipelines = 226;  // of diffusers, whatever the config says
    const std::int64_t tokens = m_transformer->config().maxTextSeqLength;
    std::vector<std::string> remarks =
        text::cutPrompts(*m_tokenizer, static_cast<std::size_t>(tokens), denoising::namedPrompts(settings));
    if (tokens != kPipelines)
        remarks.push_back(
            "prompts are padded to " + std::to_string(tokens) +
            " tokens, as the checkpoint's config has it (max_text_seq_length; diffusers' pipelines pad to " +
            std::to_string(kPipelines) + " unless told)");
    return remarks;
}

std::unique_ptr<denoising::Denoiser> CogVideoXVideoModel::prepare(const catalog::RenderSettings& settings,
                                                                  denoising::StageClock& clock) {
    auto shape_BCTHW = denoising::latentShape(m_vae.shape(), settings);
    const std::int64_t frames = shape_BCTHW[2], padding = m_transformer->config().paddingOf(frames);
    shape_BCTHW[2] += padding;
    const auto draw = [shape_BCTHW](denoising::LatentNoise& noise) {
        return drawLatents(noise, shape_BCTHW);
    };
    // One stream: first a picture's noise, then the clip's, then each step's.
    auto noise = std::make_unique<denoising::LatentNoise>(settings, device());
    auto scheduler = schedulers::makeScheduler(m_schedulerConfig, {settings.scheduler, {}},
                                               [&stream = *noise, draw] { return draw(stream); });
    scheduler->setTimesteps(settings.numInferenceSteps);
    at::Tensor picture_BCTHW;
    if (settings.imgFilePath)
        picture_BCTHW = pictureLatents(settings, m_vae, shape_BCTHW[2], device(), *noise, clock);
    const auto prompts = denoising::encodePrompts(m_text, settings, clock);
    // The padding comes first.
    const auto finish = [frames, padding](const at::Tensor& latents_BCTHW) {
        return latents_BCTHW.narrow(2, padding, frames).contiguous();
    };
    denoising::GuidedDenoiser::Parts parts;
    parts.model = std::make_unique<PromptedTransformer>(*m_transformer, prompts, picture_BCTHW);
    parts.guidance = guidanceOf(settings, *scheduler);
    parts.noise = std::move(noise);
    parts.scheduler = std::move(scheduler);
    parts.start = draw;
    parts.finish = finish;
    return std::make_unique<denoising::GuidedDenoiser>(std::move(parts), options().execution, clock);
}

std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options) {
    const auto index = families::ModelIndex::read(model.folder).value();
    return std::make_unique<CogVideoXVideoModel>(model, index, options);
}

denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available) {
    const auto index = families::ModelIndex::read(model.folder).value();
    const auto config = CogVideoXTransformerConfig::from(configOf(index, "transformer"));
    denoising::ModelMemory memory;
    memory.network = CogVideoXTransformer::weightBytes(config, options.dtype, options.execution.device,
                                                       denoising::blockOptions(options));
    memory.textEncoders = text::t5WeightBytes(textEncoderConfig(index), options.dtype);
    memory.vae = vae::cogvideox::openFiles(index.pathOf("vae"))
                     .describe({options.vaeDtype, options.execution.device}, denoising::vaePartsOf(model));
    const std::int64_t tokens = denoising::tokensOfRank(
        settings, config.tokensOf(denoising::latentShape(memory.vae->shape(), settings)));
    memory.pass = CogVideoXTransformer::passBytes(config, options.dtype, tokens);
    memory.caches = denoising::stepCacheBytes(settings, tokens, config.innerDim(),
                                              config.outChannels * config.patchVolume());
    memory.encodedFrames = settings.imgFilePath ? 1 : 0;
    return denoising::forecastOf(memory, settings, options, available);
}

parallel::PassWork passWork(const families::ModelInfo& model, const catalog::RenderSettings& settings) {
    const auto index = families::ModelIndex::read(model.folder).value();
    const auto config = CogVideoXTransformerConfig::from(configOf(index, "transformer"));
    const auto vae = vae::cogvideox::openFiles(index.pathOf("vae"))
                         .describe({at::kFloat, at::kCPU}, denoising::vaePartsOf(model));
    // Text and video attend to each other in one sequence.
    const std::int64_t tokens =
        config.tokensOf(denoising::latentShape(vae->shape(), settings)) + config.maxTextSeqLength;
    const double n = double(tokens), c = double(config.innerDim()), layers = double(config.numLayers);
    const double projections = 8 * c * c, feedForward = 4 * c * double(config.feedForwardDim()),
                 ends = 2 * c * double(config.patchVolume()) * double(config.inChannels + config.outChannels);
    return {.layers = config.numLayers,
            .heads = config.numAttentionHeads,
            .channels = config.innerDim(),
            .tokens = tokens,
            .attentionFlops = layers * 4 * n * n * c,
            .otherFlops = n * (layers * (projections + feedForward) + ends),
            .outputValues = config.patchVolume() * config.outChannels,
            .bytesPerValue = denoising::bytesPerValue(settings),
            .layerBytes = static_cast<std::uint64_t>(
                (4 * c * c + 2 * c * double(config.feedForwardDim()) + 12 * c * double(config.timeEmbedDim)) *
                double(denoising::bytesPerValue(settings)))};
}

/// FamilyModel::checks
denoising::ComponentChecks componentChecks(const families::ModelInfo& model) {
    using Others = denoising::ComponentCheck::Others;
    const auto index = families::ModelIndex::read(model.folder).value();
    return {{.take =
                 [index](const weights::OpenWeights& open) {
                     const auto file = open(index.pathOf("transformer"));
                     const CogVideoXTransformer taken(
                         CogVideoXTransformerConfig::from(configOf(index, "transformer")),
                         weights::WeightScope(*file.weights, at::kFloat));
                 },
             .others = Others::Named},
            {.take =
                 [index](const weights::OpenWeights& open) {
                     const auto file = open(index.pathOf("vae"));
                     const vae::cogvideox::CogVideoXVae taken(
                         weights::WeightScope(*file.weights, at::kFloat),
                         vae::cogvideox::CogVideoXVaeConfig::from(configOf(index, "vae")));
                 },
             .others = Others::Named},
            {.take = [index](const weights::OpenWeights& open) {
                const auto file = open(index.pathOf("text_encoder"));
                const text::T5Encoder taken(textEncoderConfig(index),
                                            weights::WeightScope(*file.weights, at::kFloat));
            }}};
}

}  // namespace

denoising::FamilyModel familyModel() {
    static constexpr std::array<std::string_view, 2> kFamilies{"cogvideox", "cogvideox-i2v"};
    return {.families = kFamilies,
            .load = loadVideoModel,
            .forecast = forecastMemory,
            .work = passWork,
            .checks = componentChecks};
}

}  // namespace reelgrid::models::cogvideox
