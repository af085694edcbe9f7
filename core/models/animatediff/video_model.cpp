#include "core/models/animatediff/video_model.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/denoising/clip_decoding.h"
#include "core/denoising/guided_denoiser.h"
#include "core/families/model_index.h"
#include "core/models/animatediff/checkpoint.h"
#include "core/models/animatediff/prompt.h"
#include "core/models/animatediff/prompted_unet.h"
#include "core/schedulers/scheduler.h"
#include "core/vae/image/image_vae.h"
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

vae::image::ImageVae loadVae(const families::ModelIndex& index, const denoising::LoadOptions& options) {
    const auto config = vae::image::ImageVaeConfig::from(configOf(index, "vae"));
    const auto source = openVae(index.pathOf("vae"), config.blockChannels.size());
    return {weights::WeightScope(*source, options.vaeDtype, options.execution.device),
            config,
            {.parts = vae::image::ImageVaeParts::Decoder}};
}

/// Image model and motion modules, and how many frames fit into them at once.
struct LoadedUnet {
    std::unique_ptr<weights::WeightSource> image;
    MotionAdapter motion;
    UnetConfig config;

    LoadedUnet(const families::ModelIndex& index)
        : motion(openMotionAdapter(index.pathOf("motion_adapter"))),
          config(UnetConfig::from(configOf(index, "unet"))) {
        image = openUnet(index.pathOf("unet"), config);
        motion.config.requireFits(config, index.pathOf("motion_adapter").string());
    }
    [[nodiscard]] MotionUnet make(const denoising::LoadOptions& options, const MotionOptions& chosen) const {
        const auto scope = [&](weights::WeightSource& source) {
            return weights::WeightScope(source, options.dtype, options.execution.device);
        };
        return {config, scope(*image), motion.config, scope(*motion.weights), chosen};
    }
};

class AnimateDiffDenoiser final : public denoising::GuidedDenoiser {
  public:
    AnimateDiffDenoiser(Parts parts, std::vector<std::int64_t> shape_BCTHW,
                        const execution::Execution& execution, denoising::StageClock& clock)
        : GuidedDenoiser(std::move(parts), execution, clock), m_shape_BCTHW(std::move(shape_BCTHW)) {}

    [[nodiscard]] at::Tensor initialLatents() override {
        return noise().draw(m_shape_BCTHW) * scheduler().initialNoiseSigma();
    }

  private:
    std::vector<std::int64_t> m_shape_BCTHW;
};

class AnimateDiffVideoModel final : public denoising::VideoModel {
  public:
    AnimateDiffVideoModel(const families::ModelIndex& index, const denoising::LoadOptions& options)
        : m_options(options),
          m_parts(index),
          m_unet(m_parts.make(options, {})),
          m_text(promptMemory(index, options)),
          m_vae(loadVae(index, options)),
          m_schedulerConfig(schedulerConfigOf(index)) {
        requireFittingParts(index);
    }

    std::unique_ptr<denoising::Denoiser> prepare(const catalog::RenderSettings& settings,
                                                 denoising::StageClock& clock) override;
    media::RgbVideo decode(const at::Tensor& latents_BCTHW, const catalog::RenderSettings& settings,
                           denoising::StageClock& clock) override;
    [[nodiscard]] std::uint64_t workingBytes(const catalog::RenderSettings& settings) const override;
    [[nodiscard]] at::Device device() const override { return m_options.execution.device; }

  private:
    void requireFittingParts(const families::ModelIndex& index) const;
    void skipMotion(const std::vector<std::string>& blocks);
    [[nodiscard]] std::vector<std::int64_t> latentShape(const catalog::RenderSettings& settings) const;
    [[nodiscard]] std::optional<vae::Tiling> tilingOf(const catalog::RenderSettings& settings) const;

    denoising::LoadOptions m_options;
    LoadedUnet m_parts;
    std::vector<std::string> m_skipped;  ///< blocks of m_unet without motion modules
    MotionUnet m_unet;
    denoising::PromptMemory m_text;
    vae::image::ImageVae m_vae;
    weights::ModelConfig m_schedulerConfig;
};

void AnimateDiffVideoModel::requireFittingParts(const families::ModelIndex& index) const {
    const std::int64_t z = m_vae.config().latentChannels;
    const std::int64_t text = textEncoderConfig(index).hiddenSize;
    if (m_parts.config.inChannels == z && m_parts.config.outChannels == z &&
        m_parts.config.crossAttentionDim == text)
        return;
    const auto words = [](std::int64_t in, std::int64_t out, std::int64_t texts) {
        return "in_channels " + std::to_string(in) + ", out_channels " + std::to_string(out) +
               ", cross_attention_dim " + std::to_string(texts);
    };
    throw Failure(
        ErrorCode::InvalidData,
        index.pathOf("unet").string() + " has " +
            words(m_parts.config.inChannels, m_parts.config.outChannels, m_parts.config.crossAttentionDim) +
            "; " + words(z, z, text) + " were needed for its VAE and text encoder");
}

/// Other blocks than before: their modules are loaded anew.
void AnimateDiffVideoModel::skipMotion(const std::vector<std::string>& blocks) {
    if (blocks == m_skipped) return;
    m_unet = m_parts.make(m_options, {.skippedBlocks = blocks});
    m_skipped = blocks;
}

std::vector<std::int64_t> AnimateDiffVideoModel::latentShape(const catalog::RenderSettings& settings) const {
    const std::int64_t spatial = m_vae.config().spatialFactor();
    return {1, m_vae.config().latentChannels, settings.numFrames, settings.height / spatial,
            settings.width / spatial};
}

std::unique_ptr<denoising::Denoiser> AnimateDiffVideoModel::prepare(const catalog::RenderSettings& settings,
                                                                    denoising::StageClock& clock) {
    if (settings.numFrames > m_parts.motion.config.maxFrames)
        throw Failure(ErrorCode::BadUsage, "--num-frames " + std::to_string(settings.numFrames) +
                                               ": the motion adapter has positions for " +
                                               std::to_string(m_parts.motion.config.maxFrames));
    skipMotion(settings.motionAdapterSkip);
    const std::vector<std::int64_t> shape_BCTHW = latentShape(settings);
    auto noise = std::make_unique<denoising::LatentNoise>(settings, device());
    auto scheduler =
        schedulers::makeScheduler(m_schedulerConfig, {settings.scheduler, {}},
                                  [&stream = *noise, shape_BCTHW] { return stream.draw(shape_BCTHW); });
    scheduler->setTimesteps(settings.numInferenceSteps);
    const denoising::EncodedPrompts prompts = denoising::encodePrompts(m_text, settings, clock);
    denoising::GuidedDenoiser::Parts parts{std::make_unique<PromptedUnet>(m_unet, prompts, settings.clipSkip),
                                           std::move(noise), std::move(scheduler),
                                           denoising::Guidance::from(settings)};
    return std::make_unique<AnimateDiffDenoiser>(std::move(parts), shape_BCTHW, m_options.execution, clock);
}

media::RgbVideo AnimateDiffVideoModel::decode(const at::Tensor& latents_BCTHW,
                                              const catalog::RenderSettings& settings,
                                              denoising::StageClock& clock) {
    const vae::image::ImageVaeConfig& config = m_vae.config();
    return denoising::decodeClip(m_vae, latents_BCTHW[0] / config.scalingFactor + config.shiftFactor,
                                 tilingOf(settings), settings, clock);
}

std::optional<vae::Tiling> AnimateDiffVideoModel::tilingOf(const catalog::RenderSettings& settings) const {
    if (settings.vaeTiling != protocol::kTilingOn) return std::nullopt;
    return vae::Tiling::ofEdge(settings.vaeTilePx, m_vae.config().spatialFactor());
}

/// Denoising: what the way down leaves for the way up, and a layer's attention and feed-forward at full size.
/// Decoding: a frame at full size with the widest channels of its last level, and its convolutions' inputs.
std::uint64_t AnimateDiffVideoModel::workingBytes(const catalog::RenderSettings& settings) const {
    const auto count = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const std::vector<std::int64_t> shape_BCTHW = latentShape(settings);
    const std::uint64_t pixels = count(shape_BCTHW[2] * shape_BCTHW[3] * shape_BCTHW[4]);
    const std::uint64_t channels = count(m_parts.config.blockChannels.front());
    constexpr std::uint64_t kSkips = 8, kLayer = 14;
    const std::uint64_t denoise = pixels * channels * (kSkips + kLayer) * c10::elementSize(m_options.dtype);
    constexpr std::uint64_t kFrames = 5;
    const std::uint64_t decode = count(settings.height) * count(settings.width) * kFrames *
                                 count(2 * m_vae.config().blockChannels.front()) *
                                 c10::elementSize(m_options.vaeDtype);
    return std::max(denoise, decode);
}

}  // namespace

std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options) {
    const families::ModelIndex index = families::ModelIndex::read(model.source()).value();
    return std::make_unique<AnimateDiffVideoModel>(index, options);
}

}  // namespace reelgrid::models::animatediff
