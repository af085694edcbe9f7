#include "core/models/wan/video_model.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/number_text.h"
#include "core/base/result.h"
#include "core/denoising/latent_shape.h"
#include "core/denoising/picture_frame.h"
#include "core/models/wan/denoiser.h"
#include "core/models/wan/idle_experts.h"
#include "core/models/wan/pictures.h"
#include "core/models/wan/prompt.h"
#include "core/schedulers/scheduler.h"
#include "core/schedulers/scheduler_list.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/vision/clip_image_processor.h"
#include "core/vision/clip_vision_encoder.h"
#include "core/weights/model_config.h"

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns.

namespace reelgrid::models::wan {
namespace {

bool hasImageEncoder(const families::ModelInfo& model) {
    return std::ranges::any_of(model.components, [](const families::ComponentInfo& component) {
        return component.name == "image_encoder";
    });
}

vae::wan21::WanVae loadVae(const families::ModelInfo& model, const Checkpoint& files,
                           const denoising::LoadOptions& options) {
    const vae::wan21::VaeCheckpoint vae = files.vae();
    return {weights::WeightScope(*vae.weights, options.vaeDtype, options.execution.device),
            vae.config,
            {.parts = denoising::vaePartsOf(model)}};
}

/// CLIP's image encoder with what prepares pictures for it.
struct ImageEncoder {
    vision::ClipImageProcessor processor;
    vision::ClipVisionEncoder encoder;

    /// In fp32 as the reference's examples run it: it is small, and runs once a clip.
    static ImageEncoder load(const Checkpoint& files, at::Device device) {
        const Checkpoint::ImageEncoder image = files.imageEncoder();
        return {vision::ClipImageProcessor(image.processor),
                vision::ClipVisionEncoder(image.config,
                                          weights::WeightScope(*image.weights, at::kFloat, device))};
    }

    [[nodiscard]] at::Tensor encode(const ClipPictures& pictures) const {
        std::vector<at::Tensor> pixels{processor.pixels(*pictures.seenFirst)};
        if (pictures.seenLast) pixels.push_back(processor.pixels(*pictures.seenLast));
        return encoder.forward(at::cat(pixels));
    }
};

class WanVideoModel final : public denoising::VideoModel {
  public:
    WanVideoModel(const families::ModelInfo& model, const Checkpoint& files,
                  const denoising::LoadOptions& options, Residence residence)
        : VideoModel(options),
          m_files(files),
          m_tokenizer(loadTokenizer(files)),
          m_text(promptMemory(files, m_tokenizer, options)),
          m_imageDim(hasImageEncoder(model) ? files.imageEncoder().config.hiddenSize : 0),
          m_vae(loadVae(model, files, options)),
          m_schedulerConfig(schedulers::samplerConfig(files.config("scheduler", "scheduler_config.json"),
                                                      schedulers::Prediction::Flow)),
          m_own(model.defaults),
          m_experts(model, options, residence) {
        requireFittingParts(model);
        if (options.encoders == denoising::Encoders::Kept) loadImageEncoder();
    }

    std::unique_ptr<denoising::Denoiser> prepare(const catalog::RenderSettings& settings,
                                                 denoising::StageClock& clock) override;
    [[nodiscard]] const vae::VideoVae& vae() const override { return m_vae; }
    [[nodiscard]] std::uint64_t passBytes(const catalog::RenderSettings& settings) const override {
        const WanTransformerConfig& config = m_experts.config();
        return WanTransformer::passBytes(config, options().dtype,
                                         config.tokensOf(denoising::latentShape(m_vae.shape(), settings)));
    }
    [[nodiscard]] int encodedFrames(const catalog::RenderSettings& settings) const override {
        return settings.imgFilePath
                   ? m_experts.config().encodedFramesOf(m_vae.config().zDim, settings.numFrames)
                   : 0;
    }

    [[nodiscard]] std::vector<std::string> remarks(const catalog::RenderSettings& settings) const override;

  private:
    [[nodiscard]] bool hasFlowShift(const catalog::RenderSettings& settings) const;
    /// Where the flow shift isn't the one that the checkpoint's scheduler has; else empty.
    [[nodiscard]] std::string flowShiftRemark(const catalog::RenderSettings& settings) const;
    /// With the render's steps; `noise` is for samplers that draw in each.
    [[nodiscard]] std::unique_ptr<schedulers::Scheduler> schedulerFor(const catalog::RenderSettings& settings,
                                                                      schedulers::NoiseSource noise) const;
    [[nodiscard]] std::int64_t trainTimesteps() const {
        return m_schedulerConfig.positiveOr("num_train_timesteps", 1000);
    }
    [[nodiscard]] ExpertShares sharesOfExperts(const catalog::RenderSettings& settings) const;
    void requireFittingParts(const families::ModelInfo& model) const;
    /// Whether the transformer has channels for frames that are given.
    [[nodiscard]] bool seesGivenFrames() const {
        return m_experts.config().seesGivenFrames(m_vae.config().zDim);
    }
    [[nodiscard]] GivenPictures encodePictures(const catalog::RenderSettings& settings,
                                               denoising::StageClock& clock);
    void loadImageEncoder();

    Checkpoint m_files;
    Tokenizer m_tokenizer;
    denoising::PromptMemory m_text;
    std::int64_t m_imageDim;  ///< channels of the image encoder; 0: there is none
    std::optional<ImageEncoder> m_imageEncoder;
    vae::wan21::WanVae m_vae;
    weights::ModelConfig m_schedulerConfig;
    families::RenderDefaults m_own;  ///< its flow shift takes the checkpoint's place
    Experts m_experts;
};

/// The transformer's channels are the latents', and those of given frames in an image-to-video pipeline.
void WanVideoModel::requireFittingParts(const families::ModelInfo& model) const {
    const vae::wan21::WanVaeConfig& vae = m_vae.config();
    const WanTransformerConfig& dit = m_experts.config();
    const bool needsChannels = model.tasks.front().image == families::Need::Required;
    const std::int64_t in = needsChannels ? 2 * vae.zDim + vae.temporalFactor() : vae.zDim;
    if (dit.inChannels == in && dit.outChannels == vae.zDim && dit.imageDim == m_imageDim) return;
    const auto words = [](std::int64_t ins, std::int64_t outs, std::int64_t image) {
        return "in_channels " + std::to_string(ins) + ", out_channels " + std::to_string(outs) + ", " +
               (image > 0 ? "image_dim " + std::to_string(image) : std::string("no image_dim"));
    };
    throw Failure(ErrorCode::InvalidData, model.folder.string() + ": the transformer has " +
                                              words(dit.inChannels, dit.outChannels, dit.imageDim) + "; " +
                                              words(in, vae.zDim, m_imageDim) +
                                              " were needed for this pipeline, VAE and image encoder");
}

std::vector<std::string> WanVideoModel::remarks(const catalog::RenderSettings& settings) const {
    std::vector<std::string> remarks = m_experts.remarks();
    for (std::string& line : cutPrompts(*m_tokenizer, settings)) remarks.push_back(std::move(line));
    if (const std::string shift = flowShiftRemark(settings); !shift.empty()) remarks.push_back(shift);
    if (!m_experts.areTwo()) return remarks;
    for (std::string& line : idleExpertSettings(settings, m_own, sharesOfExperts(settings)))
        remarks.push_back(std::move(line));
    return remarks;
}

std::unique_ptr<schedulers::Scheduler> WanVideoModel::schedulerFor(const catalog::RenderSettings& settings,
                                                                   schedulers::NoiseSource noise) const {
    auto scheduler = schedulers::makeScheduler(
        m_schedulerConfig, {settings.scheduler, settings.flowShift, settings.sigmaMax}, std::move(noise));
    scheduler->setTimesteps(settings.numInferenceSteps);
    return scheduler;
}

ExpertShares WanVideoModel::sharesOfExperts(const catalog::RenderSettings& settings) const {
    ExpertShares shares;
    const auto scheduler = schedulerFor(settings, {});
    const auto most = static_cast<int>(trainTimesteps());
    for (const double timestep : scheduler->timesteps()) {
        ++shares.own[m_experts.at(timestep, most)];
        ++shares.asked[m_experts.at(timestep, most, settings.boundary)];
    }
    return shares;
}

/// Samplers that walk from a noise level of their own have no flow shift.
bool WanVideoModel::hasFlowShift(const catalog::RenderSettings& settings) const {
    const std::string stored = m_schedulerConfig.text("_class_name");
    const auto isIt = [&](const schedulers::SchedulerRow& row) {
        return row.prediction == schedulers::Prediction::Flow &&
               (settings.scheduler ? row.option == *settings.scheduler : row.className == stored);
    };
    const auto rows = schedulers::schedulerList();
    const auto row = std::ranges::find_if(rows, isIt);
    return row == rows.end() || row->start == schedulers::NoiseStart::Schedule;
}

std::string WanVideoModel::flowShiftRemark(const catalog::RenderSettings& settings) const {
    const std::optional<double>& own = m_own.flowShift;
    if (!own || settings.flowShift != own || !hasFlowShift(settings)) return {};
    for (const char* key : {"flow_shift", "shift"}) {
        if (!m_schedulerConfig.isNumber(key)) continue;
        const double stored = m_schedulerConfig.number(key);
        if (stored == *own) return {};
        return "flow shift " + significant(*own, 4) +
               ", as the model's authors have it; the checkpoint's scheduler says " + significant(stored, 4) +
               " (--flow-shift " + significant(stored, 4) + ")";
    }
    return {};
}

void WanVideoModel::loadImageEncoder() {
    if (m_imageDim > 0 && !m_imageEncoder) m_imageEncoder.emplace(ImageEncoder::load(m_files, device()));
}

GivenPictures WanVideoModel::encodePictures(const catalog::RenderSettings& settings,
                                            denoising::StageClock& clock) {
    GivenPictures given;
    if (!settings.imgFilePath) return given;
    // Units are frames that the VAE encodes; the image encoder is one more, before them.
    const int frames = encodedFrames(settings), before = m_imageDim > 0 ? 1 : 0;
    clock.begin("image", before + frames);
    const ClipPictures pictures = ClipPictures::read(settings);
    if (m_imageDim > 0) {
        if (!m_imageEncoder) clock.aside("load", [&] { loadImageEncoder(); });
        given.imageEmbedding = m_imageEncoder->encode(pictures);
        if (options().encoders == denoising::Encoders::FreedAfterUse) m_imageEncoder.reset();
        clock.advance(before);
    }
    const auto report = [&](std::int64_t done, std::int64_t total) {
        clock.advance(before + static_cast<int>(done * frames / total));
    };
    const ClipEncoder encoder(m_vae, denoising::tilingFor(m_vae, settings), device(), report,
                              clock.stopToken());
    if (seesGivenFrames())
        given.frames_BCTHW = encoder.givenFrames(pictures, frames);
    else
        given.firstFrame_BC1HW = encoder.encode(denoising::frameOf(*pictures.first).to(device()));
    return given;
}

std::unique_ptr<denoising::Denoiser> WanVideoModel::prepare(const catalog::RenderSettings& settings,
                                                            denoising::StageClock& clock) {
    WanDenoiser::Parts parts;
    parts.shape_BCTHW = denoising::latentShape(m_vae.shape(), settings);
    // One stream: first where the clip starts, then each step's, of samplers that draw.
    parts.noise = std::make_unique<denoising::LatentNoise>(settings, device());
    parts.scheduler = schedulerFor(
        settings, [&stream = *parts.noise, shape = parts.shape_BCTHW] { return stream.draw(shape); });
    parts.pictures = encodePictures(settings, clock);
    parts.prompts = denoising::encodePrompts(m_text, settings, clock);
    parts.trainTimesteps = trainTimesteps();
    parts.guidance.fill(denoising::Guidance::from(settings));
    auto& second = parts.guidance[Experts::kLowNoise];
    if (second.scale && settings.guidanceScale2)
        second.scale = [scale = *settings.guidanceScale2](int) { return scale; };
    parts.boundaryRatio = settings.boundary;
    return std::make_unique<WanDenoiser>(m_experts, std::move(parts), options().execution, clock);
}

}  // namespace

std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options) {
    return loadVideoModel(model, options, Residence::AsMemoryAllows);
}

std::unique_ptr<denoising::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                      const denoising::LoadOptions& options,
                                                      Residence residence) {
    return std::make_unique<WanVideoModel>(model, Checkpoint(model.source()), options, residence);
}

}  // namespace reelgrid::models::wan
