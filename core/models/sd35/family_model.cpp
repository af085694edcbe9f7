#include "core/models/sd35/family_model.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/denoising/guided_denoiser.h"
#include "core/denoising/latent_shape.h"
#include "core/denoising/loaded_network.h"
#include "core/denoising/step_caches.h"
#include "core/families/model_index.h"
#include "core/models/sd35/latent_attention.h"
#include "core/models/sd35/original_names.h"
#include "core/models/sd35/parameter_check.h"
#include "core/models/sd35/prompted_transformer.h"
#include "core/schedulers/scheduler.h"
#include "core/schedulers/scheduler_list.h"
#include "core/vae/image/image_vae.h"
#include "core/vae/image/names.h"
#include "core/weights/lora_names.h"
#include "core/weights/model_config.h"
#include "core/weights/weight_file.h"

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns.

namespace reelgrid::models::sd35 {
namespace {

using Transformer = denoising::LoadedNetwork<Sd35Transformer>;

constexpr const char *kTransformer = "transformer", *kTemporal = "temporal_module";
/// Those that draw no noise in their steps.
constexpr std::array<std::string_view, 2> kSamplers{"euler", "unipc"};
constexpr std::int64_t kT5Tokens = 256;  // the reference's

weights::ModelConfig configOf(const families::ModelIndex& index, const std::string& component,
                              const std::string& file = "config.json") {
    return {index.config(component, file).value(), (index.pathOf(component) / file).string()};
}

Sd35TransformerConfig transformerConfig(const families::ModelIndex& index) {
    return Sd35TransformerConfig::from(configOf(index, kTransformer));
}

/// What training scripts write beside the transformer's where they train text encoders, too.
bool isOfTextEncoder(const std::string& tensor) {
    return tensor.starts_with("text_encoder") || tensor.starts_with("lora_te");
}

Transformer loadTransformer(const families::ModelIndex& index, const denoising::LoadOptions& options) {
    const Sd35TransformerConfig config = transformerConfig(index);
    auto source = std::make_unique<weights::LoraWeights>(
        transformerNames(weights::openWeights(index.pathOf(kTransformer)).weights, config.numLayers),
        options.loras, weights::transformerLoraNames);
    source->leaveOut(isOfTextEncoder);
    return {std::move(source), options.loras, options, [&](weights::WeightSource& from) {
                return Sd35Transformer(config,
                                       weights::WeightScope(from, options.dtype, options.execution.device),
                                       denoising::blockOptions(options), denoising::timeProducts(options));
            }};
}

bool hasTemporal(const families::ModelIndex& index) {
    return !index.classOf(kTemporal).empty();
}

std::optional<TemporalModule> loadTemporal(const families::ModelIndex& index,
                                           const Sd35TransformerConfig& transformer,
                                           const denoising::LoadOptions& options) {
    if (!hasTemporal(index)) return std::nullopt;
    const auto source = weights::openWeights(index.pathOf(kTemporal)).weights;
    return TemporalModule(TemporalConfig::fitting(transformer, configOf(index, kTemporal)),
                          weights::WeightScope(*source, options.dtype, options.execution.device));
}

vae::image::ImageVaeConfig vaeConfig(const families::ModelIndex& index) {
    return vae::image::ImageVaeConfig::from(configOf(index, "vae"));
}

/// A folder's, or the one in a single file.
vae::image::ImageVae loadVae(const families::ModelIndex& index, const denoising::LoadOptions& options) {
    const auto config = vaeConfig(index);
    const auto source = vae::image::imageVaeNames(weights::openWeights(index.pathOf("vae")).weights,
                                                  std::int64_t(config.blockChannels.size()));
    return {weights::WeightScope(*source, options.vaeDtype, options.execution.device),
            config,
            {.parts = vae::VaeParts::Decoder}};
}

std::int64_t t5TokensOf(const families::ModelInfo& model) {
    return model.defaults.maxSequenceLength.value_or(kT5Tokens);
}

/// Each frame has the noise of a picture of its own seed.
at::Tensor drawFrames(const catalog::RenderSettings& settings, at::Device device,
                      std::vector<std::int64_t> shape_BCTHW) {
    const std::int64_t frames = std::exchange(shape_BCTHW[2], 1);
    std::vector<at::Tensor> drawn_BC1HW;
    catalog::RenderSettings ofFrame = settings;
    for (std::int64_t frame = 0; frame < frames; ++frame) {
        ofFrame.seed = settings.seed + static_cast<std::uint64_t>(frame);
        drawn_BC1HW.push_back(denoising::LatentNoise(ofFrame, device).draw(shape_BCTHW));
    }
    return at::cat(drawn_BC1HW, 2);
}

class Sd35VideoModel final : public denoising::VideoModel {
  public:
    Sd35VideoModel(const families::ModelInfo& model, const families::ModelIndex& index,
                   const denoising::LoadOptions& options)
        : VideoModel(options),
          m_transformer(loadTransformer(index, options)),
          m_temporal(loadTemporal(index, m_transformer->config(), options)),
          m_texts(index, m_transformer->config(), t5TokensOf(model), options),
          m_vae(loadVae(index, options)),
          m_schedulerConfig(schedulers::samplerConfig(configOf(index, "scheduler", "scheduler_config.json"),
                                                      schedulers::Prediction::Flow, kSamplers)) {
        requireFittingVae(model);
    }

    std::unique_ptr<denoising::Denoiser> prepare(const catalog::RenderSettings& settings,
                                                 denoising::StageClock& clock) override;
    [[nodiscard]] const vae::VideoVae& vae() const override { return m_vae; }
    [[nodiscard]] std::uint64_t passBytes(const catalog::RenderSettings& settings) const override {
        const Sd35TransformerConfig& config = m_transformer->config();
        return Sd35Transformer::passBytes(
            config, options().dtype, config.tokensOf(denoising::latentShape(m_vae.shape(), settings)),
            settings.numFrames, Texts::tokensWith(settings.maxSequenceLength.value_or(kT5Tokens)));
    }
    [[nodiscard]] std::vector<std::string> remarks(const catalog::RenderSettings& settings) const override {
        auto remarks =
            weights::leftOutOf(options().loras, isOfTextEncoder, "as text encoders take no LoRA here");
        for (std::string& line : m_texts.cutPrompts(settings)) remarks.push_back(std::move(line));
        return remarks;
    }
    [[nodiscard]] std::optional<result::TemporalRecord> temporal(
        const catalog::RenderSettings& settings) const override;
    [[nodiscard]] int encodedFrames(const catalog::RenderSettings& /*settings*/) const override { return 0; }
    [[nodiscard]] at::Tensor framesApart() const override { return m_apart_BCTHW; }

  private:
    void requireFittingVae(const families::ModelInfo& model) const;

    Transformer m_transformer;
    std::optional<TemporalModule> m_temporal;
    Texts m_texts;
    vae::image::ImageVae m_vae;
    weights::ModelConfig m_schedulerConfig;
    at::Tensor m_apart_BCTHW;
};

void Sd35VideoModel::requireFittingVae(const families::ModelInfo& model) const {
    const Sd35TransformerConfig& config = m_transformer->config();
    const std::int64_t z = m_vae.shape().zDim;
    if (config.inChannels == z && config.outChannels == z) return;
    throw Failure(ErrorCode::InvalidData, (model.folder / kTransformer).string() + " has in_channels " +
                                              std::to_string(config.inChannels) + " and out_channels " +
                                              std::to_string(config.outChannels) +
                                              "; as many as the VAE's latent_channels, " + std::to_string(z) +
                                              ", were needed");
}

std::optional<result::TemporalRecord> Sd35VideoModel::temporal(
    const catalog::RenderSettings& settings) const {
    const double alpha = settings.temporalAlpha.value_or(0);
    if (alpha == 0 || settings.numFrames < 2) return std::nullopt;
    if (m_temporal) return result::TemporalRecord{"module", alpha, ""};
    return result::TemporalRecord{
        "latents", alpha,
        "the model has no temporal module: attention without parameters over frames of the " +
            std::to_string(m_vae.shape().zDim) + "-channel latents"};
}

std::unique_ptr<denoising::Denoiser> Sd35VideoModel::prepare(const catalog::RenderSettings& settings,
                                                             denoising::StageClock& clock) {
    const auto shape_BCTHW = denoising::latentShape(m_vae.shape(), settings);
    const double alpha = settings.temporalAlpha.value_or(0);
    const int steps = settings.numInferenceSteps;
    TemporalPart temporal;
    if (m_temporal && alpha > 0) temporal = {&*m_temporal, alpha};
    m_transformer->setTemporal(temporal);

    auto scheduler =
        schedulers::makeScheduler(m_schedulerConfig, {settings.scheduler, settings.flowShift}, {});
    scheduler->setTimesteps(steps);
    denoising::GuidedDenoiser::Parts parts;
    parts.model = std::make_unique<PromptedTransformer>(
        *m_transformer, m_texts.encode(settings, clock),
        denoising::layersSkippedBy(settings, m_transformer->config().numLayers));
    parts.guidance = denoising::Guidance::from(settings);
    parts.noise = std::make_unique<denoising::LatentNoise>(settings, device());
    parts.scheduler = std::move(scheduler);
    parts.start = [settings, shape_BCTHW, device = device()](denoising::LatentNoise&) {
        return drawFrames(settings, device, shape_BCTHW);
    };
    m_apart_BCTHW.reset();
    if (!m_temporal && alpha > 0 && settings.numFrames > 1)
        parts.afterSteps = [this, alpha, steps, &clock](const at::Tensor& latents_BCTHW,
                                                        attention::Dispatcher& attention) {
            m_apart_BCTHW = latents_BCTHW;
            clock.begin("temporal", 1);
            attention.beginPass(steps - 1, attention::GuidanceBranch::Conditional);
            at::Tensor seen_BCTHW = attendOverFrames(latents_BCTHW, alpha, attention);
            clock.end();
            return seen_BCTHW;
        };
    return std::make_unique<denoising::GuidedDenoiser>(std::move(parts), options().execution, clock);
}

std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options) {
    const auto index = families::ModelIndex::read(model.source()).value();
    return std::make_unique<Sd35VideoModel>(model, index, options);
}

denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available) {
    const auto index = families::ModelIndex::read(model.source()).value();
    const auto config = transformerConfig(index);
    denoising::ModelMemory memory;
    memory.network = Sd35Transformer::weightBytes(config, options.dtype, options.execution.device,
                                                  denoising::blockOptions(options));
    if (hasTemporal(index))
        memory.network += TemporalModule::weightBytes(
            TemporalConfig::fitting(config, configOf(index, kTemporal)), options.dtype);
    memory.textEncoders = Texts::weightBytes(index, options.dtype);
    memory.vae = vae::image::ImageVae::described(
        vaeConfig(index), {options.vaeDtype, options.execution.device}, vae::VaeParts::Decoder);
    const std::int64_t tokens = config.tokensOf(denoising::latentShape(memory.vae->shape(), settings));
    memory.pass =
        Sd35Transformer::passBytes(config, options.dtype, tokens, settings.numFrames,
                                   Texts::tokensWith(settings.maxSequenceLength.value_or(t5TokensOf(model))));
    memory.caches = denoising::stepCacheBytes(settings, tokens, config.innerDim(),
                                              config.outChannels * config.patchArea());
    return denoising::forecastOf(memory, settings, options, available);
}

}  // namespace

denoising::FamilyModel familyModel() {
    static constexpr std::array<std::string_view, 1> kFamilies{"sd3.5"};
    return {
        .families = kFamilies, .load = loadVideoModel, .forecast = forecastMemory, .checks = componentChecks};
}

}  // namespace reelgrid::models::sd35
