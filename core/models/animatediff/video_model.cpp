#include "core/models/animatediff/video_model.h"

#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/denoising/chained_clip.h"
#include "core/denoising/free_init.h"
#include "core/denoising/guided_denoiser.h"
#include "core/denoising/latent_shape.h"
#include "core/denoising/loaded_network.h"
#include "core/denoising/named_prompts.h"
#include "core/families/model_index.h"
#include "core/models/animatediff/checkpoint.h"
#include "core/models/animatediff/lora_names.h"
#include "core/models/animatediff/motion_choice.h"
#include "core/models/animatediff/prompt.h"
#include "core/models/animatediff/prompted_unet.h"
#include "core/schedulers/scheduler.h"
#include "core/schedulers/scheduler_list.h"
#include "core/schedulers/vp_training.h"
#include "core/text/encoders/clip_text_encoder.h"
#include "core/vae/image/image_vae.h"
#include "core/weights/lora.h"
#include "core/weights/model_config.h"

// Shape legend: B = 1 clip, C latent channels, T frames, H and W latent rows and columns.

namespace reelgrid::models::animatediff {
namespace {

namespace fs = std::filesystem;

weights::ModelConfig configOf(const families::ModelIndex& index, const std::string& component) {
    return {index.config(component).value(), (index.pathOf(component) / "config.json").string()};
}

/// The checkpoint's own; with a motion adapter beside an image model how the adapters were trained, as
/// diffusers' examples have it: β linear, and Euler's trailing steps for Lightning's.
weights::ModelConfig schedulerConfigOf(const families::ModelIndex& index) {
    constexpr const char* kFile = "scheduler_config.json";
    const std::string where = (index.pathOf("scheduler") / kFile).string();
    nlohmann::json config = index.config("scheduler", kFile).value();
    if (index.pipelineClass() != "StableDiffusionPipeline") return {config, where};
    const bool lightning =
        index.pathOf("motion_adapter").filename().string().find("lightning") != std::string::npos;
    config.update({{"_class_name", lightning ? "EulerDiscreteScheduler" : "DDIMScheduler"},
                   {"beta_schedule", "linear"},
                   {"clip_sample", false},
                   {"timestep_spacing", lightning ? "trailing" : "linspace"},
                   {"steps_offset", 1}});
    return {config, where};
}

vae::image::ImageVaeConfig vaeConfigOf(const families::ModelIndex& index) {
    const weights::ModelConfig stored = configOf(index, "vae");
    auto config = vae::image::ImageVaeConfig::from(stored);
    // The reference's pipeline scales latents and shifts none.
    if (config.shiftFactor != 0) stored.unsupported("shift_factor", "null");
    return config;
}

vae::image::ImageVae loadVae(const families::ModelIndex& index, const denoising::LoadOptions& options) {
    const auto config = vaeConfigOf(index);
    const auto source = openVae(index.pathOf("vae"), config.blockChannels.size());
    return {weights::WeightScope(*source, options.vaeDtype, options.execution.device),
            config,
            {.parts = vae::VaeParts::Decoder}};
}

/// The motion adapter; of a folder whose UNet was saved with motion modules in it those, which diffusers then
/// runs, whatever the adapter beside it holds. One that was asked for takes their place.
MotionAdapter adapterOf(const families::ModelIndex& index, const UnetConfig& unet,
                        const weights::OpenWeights& open = weights::openWeights) {
    const fs::path path = index.pathOf("motion_adapter");
    const weights::ModelConfig config = configOf(index, "unet");
    if (path == index.folder() / "motion_adapter" && config.textOr("_class_name", "") == "UNetMotionModel") {
        auto stored = openUnet(index.pathOf("unet"), unet, open);
        if (hasMotionModules(*stored)) return {MotionConfig::inside(unet, config), std::move(stored)};
    }
    MotionAdapter adapter = openMotionAdapter(path, open);
    adapter.config.requireFits(unet, path.string());
    return adapter;
}

/// The UNet with its motion modules, LoRAs merged into both.
struct LoadedUnet {
    MotionConfig motion;
    denoising::LoadedNetwork<MotionUnet> unet;

    static LoadedUnet from(const families::ModelIndex& index, const denoising::LoadOptions& options) {
        const UnetConfig config = UnetConfig::from(configOf(index, "unet"));
        MotionAdapter adapter = adapterOf(index, config);
        denoising::WeightSources parts;
        parts.push_back(std::make_unique<weights::LoraWeights>(openUnet(index.pathOf("unet"), config),
                                                               options.loras, imageLoraNames(config),
                                                               loraShare(LoraPart::Image)));
        parts.push_back(std::make_unique<weights::LoraWeights>(std::move(adapter.weights), options.loras,
                                                               motionLoraNames, loraShare(LoraPart::Motion)));
        const auto make = [&](const denoising::WeightSources& sources) {
            const auto scope = [&](weights::WeightSource& source) {
                return weights::WeightScope(source, options.dtype, options.execution.device);
            };
            return MotionUnet(config, scope(*sources[0]), adapter.config, scope(*sources[1]), {},
                              denoising::blockOptions(options));
        };
        return {adapter.config, {std::move(parts), options.loras, options, make}};
    }
};

MotionUnet::LatentSize latentSizeOf(const vae::VaeShape& vae, const catalog::RenderSettings& settings) {
    return {settings.numFrames, settings.height / vae.spatialFactor, settings.width / vae.spatialFactor};
}

class AnimateDiffVideoModel final : public denoising::VideoModel {
  public:
    AnimateDiffVideoModel(const families::ModelIndex& index, const denoising::LoadOptions& options)
        : VideoModel(options),
          m_loaded(LoadedUnet::from(index, options)),
          m_tokenizer(loadTokenizer(index)),
          m_text(promptMemory(index, m_tokenizer, options)),
          m_vae(loadVae(index, options)),
          m_schedulerConfig(schedulers::samplerConfig(schedulerConfigOf(index),
                                                      schedulers::Prediction::VariancePreserving)) {
        requireFittingParts(index);
    }

    std::unique_ptr<denoising::Denoiser> prepare(const catalog::RenderSettings& settings,
                                                 denoising::StageClock& clock) override;
    [[nodiscard]] const vae::VideoVae& vae() const override { return m_vae; }
    [[nodiscard]] std::uint64_t passBytes(const catalog::RenderSettings& settings) const override {
        return m_loaded.unet->passBytes(latentSizeOf(m_vae.shape(), settings), options().dtype, device())
            .peak();
    }
    [[nodiscard]] std::vector<std::string> remarks(const catalog::RenderSettings& settings) const override {
        std::vector<std::string> remarks =
            text::cutPrompts(*m_tokenizer, text::ClipTokenizer::kLength, denoising::namedPrompts(settings));
        if (settings.freeInit > 1 && scalesNoise(settings))
            remarks.emplace_back(
                "FreeInit mixes the last result with noise as strong as this sampler begins with; diffusers "
                "0.40 mixes noise of two other strengths there, and gives another picture");
        return remarks;
    }
    [[nodiscard]] int encodedFrames(const catalog::RenderSettings& /*settings*/) const override { return 0; }

  private:
    void requireFittingParts(const families::ModelIndex& index) const;
    /// Whether the sampler begins with noise of another strength than 1, as Euler's do.
    [[nodiscard]] bool scalesNoise(const catalog::RenderSettings& settings) const;
    void freeInit(denoising::GuidedDenoiser::Parts& parts, const catalog::RenderSettings& settings,
                  const std::function<at::Tensor()>& draw) const;
    void chain(denoising::GuidedDenoiser::Parts& parts, const catalog::RenderSettings& settings,
               at::IntArrayRef shape_BCTHW) const;

    LoadedUnet m_loaded;
    Tokenizer m_tokenizer;
    denoising::PromptMemory m_text;
    vae::image::ImageVae m_vae;
    weights::ModelConfig m_schedulerConfig;
};

void AnimateDiffVideoModel::requireFittingParts(const families::ModelIndex& index) const {
    const std::int64_t z = m_vae.config().latentChannels;
    const std::int64_t text = textEncoderConfig(index).hiddenSize;
    const UnetConfig& unet = m_loaded.unet->config();
    if (unet.inChannels == z && unet.outChannels == z && unet.crossAttentionDim == text) return;
    const auto words = [](std::int64_t in, std::int64_t out, std::int64_t texts) {
        return "in_channels " + std::to_string(in) + ", out_channels " + std::to_string(out) +
               ", cross_attention_dim " + std::to_string(texts);
    };
    throw Failure(ErrorCode::InvalidData,
                  index.pathOf("unet").string() + " has " +
                      words(unet.inChannels, unet.outChannels, unet.crossAttentionDim) + "; " +
                      words(z, z, text) + " were needed for its VAE and text encoder");
}

bool AnimateDiffVideoModel::scalesNoise(const catalog::RenderSettings& settings) const {
    const auto sampler = schedulers::makeScheduler(m_schedulerConfig, {settings.scheduler, {}}, {});
    sampler->setTimesteps(settings.numInferenceSteps);
    return sampler->initialNoiseSigma() != 1;
}

/// Has the sampler walk several times.
void AnimateDiffVideoModel::freeInit(denoising::GuidedDenoiser::Parts& parts,
                                     const catalog::RenderSettings& settings,
                                     const std::function<at::Tensor()>& draw) const {
    const schedulers::SchedulerRow& sampler = schedulers::samplerRow(m_schedulerConfig, settings.scheduler);
    const auto training =
        schedulers::VpTraining::from(m_schedulerConfig, schedulers::VpSpacing::Leading, sampler.usualNoise);
    auto several = std::make_unique<denoising::FreeInit>(std::move(parts.scheduler), settings.freeInit,
                                                         training.alphasCumprod.back(), draw);
    parts.start = [begin = parts.start, &walked = *several](denoising::LatentNoise& from) {
        at::Tensor noise_BCTHW = begin(from);
        walked.beginWith(noise_BCTHW);
        return noise_BCTHW;
    };
    parts.scheduler = std::move(several);
}

/// Has the clip go on from another.
void AnimateDiffVideoModel::chain(denoising::GuidedDenoiser::Parts& parts,
                                  const catalog::RenderSettings& settings,
                                  at::IntArrayRef shape_BCTHW) const {
    auto chained = std::make_unique<denoising::ChainedClip>(
        std::move(parts.scheduler), denoising::lastLatentFrame(*settings.chainFrom, shape_BCTHW).to(device()),
        settings.chainAlpha);
    parts.start = [begin = parts.start, &sampler = *chained](denoising::LatentNoise& from) {
        return sampler.begunWith(begin(from));
    };
    parts.scheduler = std::move(chained);
}

std::unique_ptr<denoising::Denoiser> AnimateDiffVideoModel::prepare(const catalog::RenderSettings& settings,
                                                                    denoising::StageClock& clock) {
    const MotionOptions motion = motionChoice(settings, m_loaded.motion);
    m_loaded.unet->move(motion);
    const auto shape_BCTHW = denoising::latentShape(m_vae.shape(), settings);
    auto noise = std::make_unique<denoising::LatentNoise>(settings, device());
    const auto draw = [&stream = *noise, shape_BCTHW] { return stream.draw(shape_BCTHW); };
    denoising::GuidedDenoiser::Parts parts;
    parts.scheduler = schedulers::makeScheduler(m_schedulerConfig, {settings.scheduler, {}}, draw);
    parts.start = [=](denoising::LatentNoise& from) {
        return clipNoise(from, shape_BCTHW, settings, motion);
    };
    if (settings.freeInit > 1) freeInit(parts, settings, draw);
    if (settings.chainFrom) chain(parts, settings, shape_BCTHW);
    parts.scheduler->setTimesteps(settings.numInferenceSteps);
    parts.model = std::make_unique<PromptedUnet>(*m_loaded.unet, encodeTexts(m_text, settings, clock));
    parts.noise = std::move(noise);
    parts.guidance = denoising::Guidance::from(settings);
    return std::make_unique<denoising::GuidedDenoiser>(std::move(parts), options().execution, clock);
}

void takeUnet(const families::ModelIndex& index, const weights::OpenWeights& open) {
    const UnetConfig config = UnetConfig::from(configOf(index, "unet"));
    const auto image = openUnet(index.pathOf("unet"), config, open);
    const MotionAdapter adapter = adapterOf(index, config, open);
    const MotionUnet taken(config, weights::WeightScope(*image, at::kFloat), adapter.config,
                           weights::WeightScope(*adapter.weights, at::kFloat));
}

void takeVae(const families::ModelIndex& index, const weights::OpenWeights& open) {
    const auto config = vaeConfigOf(index);
    const auto source = openVae(index.pathOf("vae"), config.blockChannels.size(), open);
    const vae::image::ImageVae taken(weights::WeightScope(*source, at::kFloat), config);
}

void takeTextEncoder(const families::ModelIndex& index, const weights::OpenWeights& open) {
    const auto source = openTextEncoder(index.pathOf("text_encoder"), open);
    const text::ClipTextEncoder taken(textEncoderConfig(index), weights::WeightScope(*source, at::kFloat),
                                      text::ClipTextEncoder::Pooled::Unread);
}

}  // namespace

denoising::ComponentChecks componentChecks(const families::ModelInfo& model) {
    using Others = denoising::ComponentCheck::Others;
    const auto index = families::ModelIndex::read(model.source()).value();
    const auto check = [&](const char* component, const auto& take, Others others) {
        const fs::path path = index.pathOf(component);
        std::error_code failed;
        // One file has more than these parts, and a UNet may have motion modules that an adapter replaces.
        const auto isElsewhere = [path = path.string(), isFolder = fs::is_directory(path, failed)](
                                     const std::string& file, const std::string& tensor) {
            return file == path && (!isFolder || tensor.find(".motion_modules.") != std::string::npos);
        };
        return denoising::ComponentCheck{
            .take = [index, take](const weights::OpenWeights& open) { take(index, open); },
            .others = others,
            .isElsewhere = isElsewhere};
    };
    return {check("unet", takeUnet, Others::Named), check("vae", takeVae, Others::Named),
            check("text_encoder", takeTextEncoder, Others::Allowed)};
}

std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options) {
    return std::make_unique<AnimateDiffVideoModel>(families::ModelIndex::read(model.source()).value(),
                                                   options);
}

denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available) {
    const auto index = families::ModelIndex::read(model.source()).value();
    const UnetConfig unet = UnetConfig::from(configOf(index, "unet"));
    const MotionConfig motion = adapterOf(index, unet).config;
    const at::Device device = options.execution.device;
    denoising::ModelMemory memory;
    memory.network =
        MotionUnet::weightBytes(unet, motion, options.dtype, device, denoising::blockOptions(options));
    memory.textEncoders = text::clipTextWeightBytes(textEncoderConfig(index), options.dtype);
    memory.vae = vae::image::ImageVae::described(vaeConfigOf(index), {options.vaeDtype, device},
                                                 vae::VaeParts::Decoder);
    memory.pass = MotionUnet::passBytesOf(unet, motion, latentSizeOf(memory.vae->shape(), settings),
                                          options.dtype, device);
    return denoising::forecastOf(memory, settings, options, available);
}

}  // namespace reelgrid::models::animatediff
