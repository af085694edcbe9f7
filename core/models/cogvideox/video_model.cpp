#include "core/models/cogvideox/video_model.h"

#include <algorithm>
#include <optional>

#include "core/base/result.h"
#include "core/families/model_index.h"
#include "core/families/offered_tasks.h"
#include "core/models/cogvideox/guided_velocity.h"
#include "core/models/cogvideox/loaded_transformer.h"
#include "core/models/cogvideox/pictures.h"
#include "core/models/cogvideox/prompt.h"
#include "core/pipeline/clip_decoding.h"
#include "core/pipeline/gemm_record.h"
#include "core/pipeline/loop_resume.h"
#include "core/schedulers/initial_noise.h"
#include "core/schedulers/scheduler.h"
#include "core/vae/cogvideox/cogvideox_vae.h"
#include "core/vae/cogvideox/working_memory.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns.

namespace reelgrid::models::cogvideox {
namespace {

namespace fs = std::filesystem;

vae::cogvideox::CogVideoXVae loadVae(const families::ModelInfo& model, const fs::path& folder,
                                     const pipeline::LoadOptions& options) {
    using Parts = vae::cogvideox::CogVideoXVaeParts;
    weights::SafetensorsFolder source(folder);
    // Text-to-video never encodes.
    return {weights::WeightScope(source, options.vaeDtype, options.execution.device),
            vae::cogvideox::CogVideoXVaeConfig::from(weights::ModelConfig::read(folder)),
            {.parts = families::takesPictures(model) ? Parts::Both : Parts::Decoder}};
}

/// Of a resume point: where the noise was that samplers draw.
constexpr const char* kNoiseState = "noise";

at::Tensor noiseStateOf(const pipeline::ResumePoint& point) {
    const auto state = point.tensors.find(kNoiseState);
    if (state == point.tensors.end())
        throw Failure(ErrorCode::InvalidData, std::string("what was kept of the render has no ") +
                                                  kNoiseState + ", which its steps need");
    return state->second;
}

class CogVideoXVideoModel final : public pipeline::VideoModel {
  public:
    CogVideoXVideoModel(const families::ModelInfo& model, const families::ModelIndex& index,
                        const pipeline::LoadOptions& options)
        : m_execution(options.execution),
          m_device(options.execution.device),
          m_dtype(options.dtype),
          m_vaeDtype(options.vaeDtype),
          m_options(options),
          m_transformer(index.pathOf("transformer"), options),
          m_text(index, m_transformer->config().maxTextSeqLength, text::t5Dtype(options.dtype), m_device,
                 options.encoders),
          m_vae(loadVae(model, index.pathOf("vae"), options)),
          m_schedulerConfig(weights::ModelConfig::read(index.pathOf("scheduler"), "scheduler_config.json")) {
        requireFittingParts(model);
    }

    at::Tensor denoise(const catalog::RenderSettings& settings, attention::Dispatcher& attention,
                       pipeline::StageClock& clock, pipeline::StepObserver* observer) override;
    media::RgbVideo decode(const at::Tensor& latents_BCTHW, const catalog::RenderSettings& settings,
                           pipeline::StageClock& clock) override;
    [[nodiscard]] std::uint64_t workingBytes(const catalog::RenderSettings& settings) const override;
    [[nodiscard]] std::optional<result::GemmRecord> gemms() const override {
        return pipeline::gemmRecordOf(m_options, multipliesFp8(m_device));
    }

  private:
    void requireFittingParts(const families::ModelInfo& model) const;
    [[nodiscard]] Conditions encodeText(const catalog::RenderSettings& settings, pipeline::StageClock& clock);
    [[nodiscard]] std::optional<vae::Tiling> tilingOf(const catalog::RenderSettings& settings) const;
    /// Latent frames of the clip, and how many more come before them so that time's patches are whole.
    struct LatentFrames {
        std::int64_t clip, padding;
        [[nodiscard]] std::int64_t all() const { return clip + padding; }
    };
    [[nodiscard]] LatentFrames latentFrames(const catalog::RenderSettings& settings) const;

    execution::Execution m_execution;
    at::Device m_device;
    at::ScalarType m_dtype, m_vaeDtype;
    pipeline::LoadOptions m_options;
    LoadedTransformer m_transformer;
    PromptEncoder m_text;
    vae::cogvideox::CogVideoXVae m_vae;
    weights::ModelConfig m_schedulerConfig;
};

/// The transformer's channels are the latents', and a picture's beside them in an image-to-video pipeline.
void CogVideoXVideoModel::requireFittingParts(const families::ModelInfo& model) const {
    const CogVideoXTransformerConfig& dit = m_transformer->config();
    const std::int64_t z = m_vae.config().zDim, in = families::takesPictures(model) ? 2 * z : z,
                       text = m_text.config().modelSize;
    if (dit.inChannels == in && dit.outChannels == z && dit.textEmbedDim == text) return;
    const auto words = [](std::int64_t ins, std::int64_t outs, std::int64_t texts) {
        return "in_channels " + std::to_string(ins) + ", out_channels " + std::to_string(outs) +
               ", text_embed_dim " + std::to_string(texts);
    };
    throw Failure(ErrorCode::InvalidData, (model.folder / "transformer").string() + " has " +
                                              words(dit.inChannels, dit.outChannels, dit.textEmbedDim) +
                                              "; " + words(in, z, text) +
                                              " were needed for this pipeline, VAE and text encoder");
}

CogVideoXVideoModel::LatentFrames CogVideoXVideoModel::latentFrames(
    const catalog::RenderSettings& settings) const {
    const std::int64_t clip = (settings.numFrames - 1) / m_vae.config().temporalFactor() + 1;
    const std::int64_t patch = m_transformer->config().patchFrames();
    return {clip, (patch - clip % patch) % patch};
}

Conditions CogVideoXVideoModel::encodeText(const catalog::RenderSettings& settings,
                                           pipeline::StageClock& clock) {
    const bool guided = settings.guidanceScale > 1.0;
    Conditions conditions;
    conditions.guidance = settings.guidanceScale;
    if (settings.useDynamicCfg) conditions.dynamicSteps = settings.numInferenceSteps;
    conditions.stepCache = settings.stepCache;
    conditions.stepCacheFrom = firstStepThatMaySkip(settings.numInferenceSteps);
    clock.begin("text", guided ? 2 : 1);
    const auto encode = [&](const std::string& prompt) {
        if (!m_text.isReadyFor(prompt)) clock.aside("load", [&] { m_text.load(); });
        return m_transformer->prepareText(m_text.encode(prompt));
    };
    conditions.prompt_BMC = encode(settings.prompt);
    clock.advance(1);
    if (guided) {
        conditions.negative_BMC = encode(settings.negativePrompt);
        clock.advance(2);
    }
    m_text.release();
    return conditions;
}

at::Tensor CogVideoXVideoModel::denoise(const catalog::RenderSettings& settings,
                                        attention::Dispatcher& attention, pipeline::StageClock& clock,
                                        pipeline::StepObserver* observer) {
    const LatentFrames frames = latentFrames(settings);
    const std::int64_t spatial = m_vae.config().spatialFactor();
    // The reference draws frames before channels, first a picture's, then the clip's, then each step's.
    schedulers::NoiseStream stream(settings.seed, settings.generator == "cpu" ? at::kCPU : m_device);
    const auto draw = [&] {
        return stream
            .draw({1, frames.all(), m_vae.config().zDim, settings.height / spatial, settings.width / spatial})
            .transpose(1, 2)
            .contiguous()
            .to(m_device);
    };
    const auto scheduler = schedulers::makeScheduler(m_schedulerConfig, {settings.scheduler, {}}, draw);
    scheduler->setTimesteps(settings.numInferenceSteps);
    at::Tensor picture_BCTHW;
    if (settings.imgFilePath)
        picture_BCTHW =
            pictureLatents(settings, m_vae, tilingOf(settings), frames.all(), m_device, stream, clock);
    Conditions conditions = encodeText(settings, clock);
    conditions.picture_BCTHW = picture_BCTHW;
    GuidedVelocity velocity(*m_transformer, std::move(conditions),
                            settings.useTorchCompile ? Passes::Graphed : Passes::Called, m_execution, clock);

    const int steps = settings.numInferenceSteps;
    const auto left = resumePoints() != nullptr ? resumePoints()->takeLeft() : std::nullopt;
    const int first = left ? left->done : 0;
    if (left) {
        stream.restore(noiseStateOf(*left));
        velocity.restore(left->tensors);
    }
    at::Tensor latents =
        left ? pipeline::takeUp(*left, *scheduler, m_device) : draw() * scheduler->initialNoiseSigma();
    const auto addOwn = [&](auto& tensors) {
        tensors[kNoiseState] = stream.state();
        velocity.save(tensors);
    };

    clock.begin("denoise", steps, first);
    for (int step = first; step < steps; ++step) {
        const double timestep = scheduler->timesteps()[static_cast<std::size_t>(step)];
        const at::Tensor input = scheduler->scaleModelInput(latents, step);
        const auto predict = [&velocity, input, timestep, step](attention::Dispatcher& with) {
            return velocity.predict(input, timestep, step, with);
        };
        const at::Tensor predicted = predict(attention);
        if (observer != nullptr) observer->predicted(step, latents, predict);
        latents = scheduler->step(predicted, step, latents);
        clock.advance(step + 1);
        pipeline::keepPoint(resumePoints(), step + 1, latents, *scheduler, addOwn, clock);
    }
    clock.end();
    if (m_dtype == at::kHalf && !at::isfinite(latents).all().item<bool>())
        throw Failure(ErrorCode::Unsupported,
                      "--dtype fp16: the model's values left fp16's range (65504), --dtype bf16 was needed");
    latents = latents.narrow(2, frames.padding, frames.clip).contiguous();
    if (observer != nullptr) observer->denoised(latents);
    return latents;
}

media::RgbVideo CogVideoXVideoModel::decode(const at::Tensor& latents_BCTHW,
                                            const catalog::RenderSettings& settings,
                                            pipeline::StageClock& clock) {
    return pipeline::decodeClip(m_vae, latents_BCTHW[0] / m_vae.config().scalingFactor, tilingOf(settings),
                                settings, clock);
}

std::optional<vae::Tiling> CogVideoXVideoModel::tilingOf(const catalog::RenderSettings& settings) const {
    if (settings.vaeTiling != protocol::kTilingOn) return std::nullopt;
    return m_vae.config().tilingOf(settings.vaeTilePx);
}

/// Denoising holds a token's residual stream, norms, projections and feed-forward at once.
std::uint64_t CogVideoXVideoModel::workingBytes(const catalog::RenderSettings& settings) const {
    const CogVideoXTransformerConfig& dit = m_transformer->config();
    const vae::cogvideox::CogVideoXVaeConfig& vae = m_vae.config();
    const auto count = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t patchEdge = count(vae.spatialFactor() * dit.patchSize);
    const std::uint64_t tokens = count(settings.width) / patchEdge * (count(settings.height) / patchEdge) *
                                     (count(latentFrames(settings).all() / dit.patchFrames())) +
                                 count(dit.maxTextSeqLength);
    const std::uint64_t denoise = tokens * count(24 * dit.innerDim() + 8 * dit.feedForwardDim());
    const vae::cogvideox::ClipSize clip{.frames = settings.numFrames,
                                        .height = settings.height,
                                        .width = settings.width,
                                        .dtype = m_vaeDtype,
                                        .device = m_device};
    const std::uint64_t decode = vae::cogvideox::bytesToDecode(vae, clip, tilingOf(settings));
    vae::cogvideox::ClipSize picture = clip;
    picture.frames = 1;
    const std::uint64_t encode =
        settings.imgFilePath ? vae::cogvideox::bytesToEncode(vae, picture, tilingOf(settings)) : 0;
    return std::max({denoise, decode, encode});
}

}  // namespace

std::unique_ptr<pipeline::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                     const pipeline::LoadOptions& options) {
    const families::ModelIndex index = families::ModelIndex::read(model.folder).value();
    return std::make_unique<CogVideoXVideoModel>(model, index, options);
}

}  // namespace reelgrid::models::cogvideox
