#include "core/models/svd/family_model.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/denoising/guided_denoiser.h"
#include "core/denoising/latent_shape.h"
#include "core/denoising/loaded_network.h"
#include "core/models/svd/checkpoint.h"
#include "core/models/svd/names.h"
#include "core/models/svd/pictured_unet.h"
#include "core/schedulers/scheduler.h"
#include "core/schedulers/scheduler_list.h"

// Shape legend: B = 1 clip, C latent channels, T frames, H and W latent rows and columns.

namespace reelgrid::models::svd {
namespace {

constexpr const char *kSchedulerFile = "scheduler_config.json", *kProcessorFile = "preprocessor_config.json";

/// The network is told noise levels, as this one says them.
constexpr std::array<std::string_view, 1> kSamplers{"euler"};

using Unet = denoising::LoadedNetwork<VideoUnet>;

Unet loadUnet(const families::ModelIndex& index, const denoising::LoadOptions& options) {
    const std::vector<weights::Lora> noLoras;
    auto source = std::make_unique<weights::LoraWeights>(openUnet(index), noLoras, weights::LoraNames());
    return {std::move(source), noLoras, options, [&](weights::WeightSource& from) {
                return VideoUnet(VideoUnetConfig::from(configOf(index, "unet")),
                                 weights::WeightScope(from, options.dtype, options.execution.device),
                                 denoising::blockOptions(options));
            }};
}

vae::svd::SvdVae loadVae(const families::ModelIndex& index, const denoising::LoadOptions& options) {
    const auto source = openVae(index);
    return {weights::WeightScope(*source, options.vaeDtype, options.execution.device),
            vae::svd::SvdVaeConfig::from(configOf(index, "vae"))};
}

/// In fp32 on the CPU, else in the UNet's dtype, as the reference's pipelines run it.
at::ScalarType imageDtype(const denoising::LoadOptions& options) {
    return options.execution.device.is_cpu() ? at::kFloat : options.dtype;
}

ImageEncoder loadImageEncoder(const families::ModelIndex& index, const denoising::LoadOptions& options) {
    const auto source = openImageEncoder(index);
    return {vision::ClipImageProcessor(configOf(index, "feature_extractor", kProcessorFile)),
            vision::ClipVisionEncoder(
                vision::ClipVisionConfig::from(configOf(index, "image_encoder")),
                weights::WeightScope(*source, imageDtype(options), options.execution.device),
                vision::ClipOutput::Embedding)};
}

/// From the first frame's to the last one's, the same in every step.
denoising::Guidance guidanceOf(const catalog::RenderSettings& settings, at::Device device) {
    auto guidance = denoising::Guidance::from(settings);
    if (!guidance.scale) return guidance;
    const double first = settings.minGuidanceScale.value_or(1), last = settings.maxGuidanceScale.value_or(1);
    const at::Tensor scale_BCTHW =
        at::linspace(first, last, settings.numFrames, at::kFloat).view({1, 1, -1, 1, 1}).to(device);
    guidance.scale = [scale_BCTHW](int) { return scale_BCTHW; };
    return guidance;
}

class SvdVideoModel final : public denoising::VideoModel {
  public:
    SvdVideoModel(const families::ModelIndex& index, const denoising::LoadOptions& options)
        : VideoModel(options),
          m_index(index),
          m_unet(loadUnet(index, options)),
          m_vae(loadVae(index, options)),
          m_schedulerConfig(schedulers::samplerConfig(configOf(index, "scheduler", kSchedulerFile),
                                                      schedulers::Prediction::VariancePreserving,
                                                      kSamplers)) {
        requireFittingParts();
        if (options.encoders == denoising::Encoders::Kept) m_image.emplace(loadImageEncoder(index, options));
    }

    std::unique_ptr<denoising::Denoiser> prepare(const catalog::RenderSettings& settings,
                                                 denoising::StageClock& clock) override;
    [[nodiscard]] const vae::VideoVae& vae() const override { return m_vae; }
    [[nodiscard]] std::uint64_t passBytes(const catalog::RenderSettings& settings) const override {
        const auto shape_BCTHW = denoising::latentShape(m_vae.shape(), settings);
        return VideoUnet::passBytes(m_unet->config(), options().dtype,
                                    {shape_BCTHW[2], shape_BCTHW[3], shape_BCTHW[4]});
    }
    [[nodiscard]] int encodedFrames(const catalog::RenderSettings& /*settings*/) const override { return 1; }

  private:
    void requireFittingParts() const;
    [[nodiscard]] GivenPicture encodePicture(const catalog::RenderSettings& settings,
                                             denoising::LatentNoise& noise, denoising::StageClock& clock);

    families::ModelIndex m_index;
    Unet m_unet;
    std::optional<ImageEncoder> m_image;
    vae::svd::SvdVae m_vae;
    weights::ModelConfig m_schedulerConfig;
};

/// The UNet's channels are the latents' and the picture's; what it looks at is CLIP's embedding.
void SvdVideoModel::requireFittingParts() const {
    const std::int64_t z = m_vae.config().image.latentChannels;
    const std::int64_t seen =
        vision::ClipVisionConfig::from(configOf(m_index, "image_encoder")).projectionDim;
    const VideoUnetConfig& unet = m_unet->config();
    if (unet.outChannels == z && unet.crossAttentionDim == seen) return;
    const auto words = [](std::int64_t out, std::int64_t cross) {
        return "out_channels " + std::to_string(out) + ", cross_attention_dim " + std::to_string(cross);
    };
    throw Failure(ErrorCode::InvalidData, m_index.pathOf("unet").string() + " has " +
                                              words(unet.outChannels, unet.crossAttentionDim) + "; " +
                                              words(z, seen) + " were needed for its VAE and image encoder");
}

GivenPicture SvdVideoModel::encodePicture(const catalog::RenderSettings& settings,
                                          denoising::LatentNoise& noise, denoising::StageClock& clock) {
    clock.begin("image", 2);
    media::RgbImage image = media::readImage(settings.imgFilePath.value()).value();
    // What is cut off is shown to nobody, as where a picture is cut before the reference's pipeline.
    if (settings.pictureFit == protocol::kCropPicture) image = atClipsSize(image, settings);
    if (!m_image) clock.aside("load", [&] { m_image.emplace(loadImageEncoder(m_index, options())); });
    GivenPicture given;
    given.seen_1NX = m_image->encode(image);
    if (options().encoders == denoising::Encoders::FreedAfterUse) m_image.reset();
    clock.advance(1);
    given.latents_BCTHW = pictureLatents(image, settings, m_vae, device(), noise, clock);
    clock.advance(2);
    return given;
}

std::unique_ptr<denoising::Denoiser> SvdVideoModel::prepare(const catalog::RenderSettings& settings,
                                                            denoising::StageClock& clock) {
    auto scheduler = schedulers::makeScheduler(m_schedulerConfig);
    scheduler->setTimesteps(settings.numInferenceSteps);
    // One stream: first the picture's noise, then the clip's.
    auto noise = std::make_unique<denoising::LatentNoise>(settings, device());
    const GivenPicture picture = encodePicture(settings, *noise, clock);
    // The models were trained with one frame a second less than clips have.
    const Motion motion{.fps = settings.fps - 1,
                        .bucket = static_cast<double>(settings.motionBucketId.value_or(0)),
                        .noise = settings.noiseAugStrength.value_or(0)};
    denoising::GuidedDenoiser::Parts parts;
    parts.model = std::make_unique<PicturedUnet>(*m_unet, picture, motion);
    parts.guidance = guidanceOf(settings, device());
    parts.noise = std::move(noise);
    parts.scheduler = std::move(scheduler);
    // The reference draws frames before channels.
    parts.start = [shape = denoising::latentShape(m_vae.shape(), settings)](denoising::LatentNoise& from) {
        return from.draw({shape[0], shape[2], shape[1], shape[3], shape[4]}).transpose(1, 2).contiguous();
    };
    return std::make_unique<denoising::GuidedDenoiser>(std::move(parts), options().execution, clock);
}

std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options) {
    return std::make_unique<SvdVideoModel>(families::ModelIndex::read(model.source()).value(), options);
}

denoising::MemoryForecast forecastMemory(const families::ModelInfo& model,
                                         const catalog::RenderSettings& settings,
                                         const denoising::LoadOptions& options, std::uint64_t available) {
    const auto index = families::ModelIndex::read(model.source()).value();
    const auto unet = VideoUnetConfig::from(configOf(index, "unet"));
    const auto image = vision::ClipVisionConfig::from(configOf(index, "image_encoder"));
    denoising::ModelMemory memory;
    memory.network = VideoUnet::weightBytes(unet, options.dtype, options.execution.device,
                                            denoising::blockOptions(options));
    memory.imageEncoder =
        vision::ClipVisionEncoder::weightBytes(image) / sizeof(float) * c10::elementSize(imageDtype(options));
    memory.vae = vae::svd::SvdVae::described(vae::svd::SvdVaeConfig::from(configOf(index, "vae")),
                                             {options.vaeDtype, options.execution.device});
    const auto shape_BCTHW = denoising::latentShape(memory.vae->shape(), settings);
    memory.pass = VideoUnet::passBytes(unet, options.dtype, {shape_BCTHW[2], shape_BCTHW[3], shape_BCTHW[4]});
    memory.encodedFrames = 1;
    return denoising::forecastOf(memory, settings, options, available);
}

/// The decoder's attention, which diffusers makes and doesn't run where there is no second residual block.
bool isIdleAttention(const std::string& tensor) {
    return tensor.find("decoder.mid_block.attentions.") != tensor.npos ||
           tensor.find("decoder.mid.attn_1.") != tensor.npos;
}

denoising::ComponentCheck checkOf(const families::ModelIndex& index, const std::string& component,
                                  std::function<void(const weights::OpenWeights& open)> take) {
    using Others = denoising::ComponentCheck::Others;
    const bool inFile = isInFile(index, component);
    // A folder's image encoder may be a whole CLIP.
    const bool named = inFile || component != "image_encoder";
    return {.take = std::move(take),
            .others = named ? Others::Named : Others::Allowed,
            .isElsewhere = [inFile, component](const std::string& /*file*/, const std::string& tensor) {
                return isIdleAttention(tensor) || (inFile && !isOfPart(component, tensor));
            }};
}

/// FamilyModel::checks
denoising::ComponentChecks componentChecks(const families::ModelInfo& model) {
    const auto index = families::ModelIndex::read(model.source()).value();
    return {checkOf(index, "unet",
                    [index](const weights::OpenWeights& open) {
                        const auto source = openUnet(index, open);
                        const VideoUnet taken(VideoUnetConfig::from(configOf(index, "unet")),
                                              weights::WeightScope(*source, at::kFloat));
                    }),
            checkOf(index, "vae",
                    [index](const weights::OpenWeights& open) {
                        const auto source = openVae(index, open);
                        const vae::svd::SvdVae taken(weights::WeightScope(*source, at::kFloat),
                                                     vae::svd::SvdVaeConfig::from(configOf(index, "vae")));
                    }),
            checkOf(index, "image_encoder", [index](const weights::OpenWeights& open) {
                const auto source = openImageEncoder(index, open);
                const vision::ClipVisionEncoder taken(
                    vision::ClipVisionConfig::from(configOf(index, "image_encoder")),
                    weights::WeightScope(*source, at::kFloat), vision::ClipOutput::Embedding);
            })};
}

}  // namespace

denoising::FamilyModel familyModel() {
    static constexpr std::array<std::string_view, 1> kFamilies{"svd"};
    return {
        .families = kFamilies, .load = loadVideoModel, .forecast = forecastMemory, .checks = componentChecks};
}

}  // namespace reelgrid::models::svd
