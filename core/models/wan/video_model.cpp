#include "core/models/wan/video_model.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/models/wan/graphed_forward.h"
#include "core/models/wan/prompt.h"
#include "core/models/wan/transformer.h"
#include "core/pipeline/rgb_frames.h"
#include "core/schedulers/initial_noise.h"
#include "core/schedulers/scheduler.h"
#include "core/vae/wan21/wan_vae.h"
#include "core/vae/wan21/working_memory.h"
#include "core/weights/model_config.h"
#include "core/weights/safetensors_folder.h"

// Shape legend: B = 1 clip, C latent channels, T latent frames, H and W latent rows and columns.

namespace reelgrid::models::wan {
namespace {

namespace fs = std::filesystem;

using attention::GuidanceBranch;

WanTransformer loadTransformer(const fs::path& folder, const pipeline::LoadOptions& options) {
    weights::SafetensorsFolder source(folder);
    return {WanTransformerConfig::from(weights::ModelConfig::read(folder)),
            weights::WeightScope(source, options.dtype, options.execution.device)};
}

vae::wan21::WanVae loadVae(const fs::path& folder, const pipeline::LoadOptions& options) {
    // Text-to-video never encodes.
    weights::SafetensorsFolder source(folder);
    return {weights::WeightScope(source, options.vaeDtype, options.execution.device),
            vae::wan21::WanVaeConfig::from(weights::ModelConfig::read(folder)),
            {.parts = vae::wan21::WanVaeParts::Decoder}};
}

/// umT5's activations leave fp16's range: it runs in the 16-bit type that it was trained in.
at::ScalarType textDtype(at::ScalarType dtype) {
    return dtype == at::kHalf ? at::kBFloat16 : dtype;
}

class WanVideoModel final : public pipeline::VideoModel {
  public:
    WanVideoModel(const fs::path& folder, const pipeline::LoadOptions& options)
        : m_execution(options.execution),
          m_device(options.execution.device),
          m_text(folder, textDtype(options.dtype), m_device),
          m_transformer(loadTransformer(folder / "transformer", options)),
          m_vae(loadVae(folder / "vae", options)),
          m_schedulerConfig(weights::ModelConfig::read(folder / "scheduler", "scheduler_config.json")) {}

    at::Tensor denoise(const catalog::RenderSettings& settings, attention::Dispatcher& attention,
                       pipeline::StageClock& clock, pipeline::StepObserver* observer) override;
    media::RgbVideo decode(const at::Tensor& latents_BCTHW, const catalog::RenderSettings& settings,
                           pipeline::StageClock& clock) override;
    [[nodiscard]] std::uint64_t workingBytes(const catalog::RenderSettings& settings) const override;

  private:
    /// The prompt and, when guidance asks for it, the negative prompt.
    struct Conditioning {
        PreparedText prompt;
        std::optional<PreparedText> negative;
    };
    Conditioning encodeText(const catalog::RenderSettings& settings, pipeline::StageClock& clock);
    /// WanTransformer::forward or what stands for it.
    using Forward = std::function<at::Tensor(const at::Tensor& latents_BCTHW, const StepEmbedding& step,
                                             const PreparedText& text, attention::Dispatcher& attention)>;
    [[nodiscard]] at::Tensor predictFlow(const at::Tensor& latents_BCTHW, double timestep, int step,
                                         const Conditioning& text, double guidance,
                                         attention::Dispatcher& attention, const Forward& forward) const;
    [[nodiscard]] std::optional<vae::Tiling> tilingOf(const catalog::RenderSettings& settings) const;
    [[nodiscard]] at::Tensor noiseFor(const catalog::RenderSettings& settings) const;

    execution::Execution m_execution;
    at::Device m_device;
    PromptEncoder m_text;
    WanTransformer m_transformer;
    vae::wan21::WanVae m_vae;
    weights::ModelConfig m_schedulerConfig;
};

WanVideoModel::Conditioning WanVideoModel::encodeText(const catalog::RenderSettings& settings,
                                                      pipeline::StageClock& clock) {
    const bool guided = settings.guidanceScale > 1.0;
    clock.begin("text", guided ? 2 : 1);
    Conditioning text{m_transformer.prepareText(m_text.encode(settings.prompt).embedding), std::nullopt};
    clock.advance(1);
    if (guided) {
        text.negative = m_transformer.prepareText(m_text.encode(settings.negativePrompt).embedding);
        clock.advance(2);
    }
    return text;
}

at::Tensor WanVideoModel::noiseFor(const catalog::RenderSettings& settings) const {
    const vae::wan21::WanVaeConfig& vae = m_vae.config();
    const at::Tensor noise = schedulers::initialNoise(
        settings.seed,
        {1, vae.zDim, (settings.numFrames - 1) / vae.temporalFactor() + 1,
         settings.height / vae.spatialFactor(), settings.width / vae.spatialFactor()},
        settings.generator == "cpu" ? at::kCPU : m_device);
    return noise.to(m_device);
}

/// Classifier-free guidance in two passes; one pass when there is no negative prompt to move away from.
at::Tensor WanVideoModel::predictFlow(const at::Tensor& latents_BCTHW, double timestep, int step,
                                      const Conditioning& text, double guidance,
                                      attention::Dispatcher& attention, const Forward& forward) const {
    const auto embedding = m_transformer.embedTimestep(timestep);
    attention.beginPass(step, GuidanceBranch::Conditional);
    const at::Tensor conditional = forward(latents_BCTHW, embedding, text.prompt, attention);
    if (!text.negative) return conditional;
    attention.beginPass(step, GuidanceBranch::Unconditional);
    const at::Tensor unconditional = forward(latents_BCTHW, embedding, *text.negative, attention);
    return unconditional + guidance * (conditional - unconditional);
}

at::Tensor WanVideoModel::denoise(const catalog::RenderSettings& settings, attention::Dispatcher& attention,
                                  pipeline::StageClock& clock, pipeline::StepObserver* observer) {
    const Conditioning text = encodeText(settings, clock);
    const auto scheduler =
        schedulers::makeScheduler(m_schedulerConfig, {settings.scheduler, settings.flowShift});

    clock.begin("denoise", settings.numInferenceSteps);
    scheduler->setTimesteps(settings.numInferenceSteps);
    GraphedForward graphed(m_transformer, m_execution);
    const Forward forward = [&](const at::Tensor& input, const StepEmbedding& step,
                                const PreparedText& prompt, attention::Dispatcher& with) {
        return settings.useTorchCompile ? graphed.forward(input, step, prompt, with)
                                        : m_transformer.forward(input, step, prompt, with, &clock.parts());
    };
    at::Tensor latents = noiseFor(settings) * scheduler->initialNoiseSigma();
    for (int step = 0; step < settings.numInferenceSteps; ++step) {
        const double timestep = scheduler->timesteps()[static_cast<std::size_t>(step)];
        const at::Tensor input = scheduler->scaleModelInput(latents, step);
        const auto predict = [&, input, timestep, step](attention::Dispatcher& with) {
            return predictFlow(input, timestep, step, text, settings.guidanceScale, with, forward);
        };
        const at::Tensor flow = predict(attention);
        if (observer != nullptr) observer->predicted(step, latents, predict);
        latents = scheduler->step(flow, step, latents);
        clock.advance(step + 1);
    }
    clock.end();
    if (observer != nullptr) observer->denoised(latents);
    return latents;
}

media::RgbVideo WanVideoModel::decode(const at::Tensor& latents_BCTHW,
                                      const catalog::RenderSettings& settings, pipeline::StageClock& clock) {
    media::RgbVideo video{.width = settings.width,
                          .height = settings.height,
                          .fps = pipeline::frameRate(settings.fps),
                          .pixels = {}};
    video.pixels.reserve(video.frameBytes() * static_cast<std::size_t>(settings.numFrames));
    clock.begin("decode", settings.numFrames);
    const at::Tensor z_CTHW = m_vae.denormalised(latents_BCTHW)[0];
    if (const auto tiling = tilingOf(settings)) {
        // A frame is there once its last tile is: so many have been decoded, in equal parts of work.
        const auto report = [&](std::int64_t done, std::int64_t total) {
            clock.advance(static_cast<int>(done * settings.numFrames / total));
        };
        pipeline::appendFrames(video, m_vae.decodeTiled(z_CTHW, *tiling, report, clock.stopToken()));
    } else {
        const auto keep = [&](const at::Tensor& frames_THWC) {
            pipeline::appendFrames(video, frames_THWC);
            clock.advance(video.frameCount());
        };
        m_vae.decodeTo(z_CTHW, keep, clock.stopToken());
    }
    clock.end();
    return video;
}

std::optional<vae::Tiling> WanVideoModel::tilingOf(const catalog::RenderSettings& settings) const {
    if (settings.vaeTiling != protocol::kTilingOn) return std::nullopt;
    return vae::Tiling::ofEdge(settings.vaeTilePx, m_vae.config().spatialFactor());
}

/// Denoising holds a token's residual stream, norms, projections and feed-forward at once.
std::uint64_t WanVideoModel::workingBytes(const catalog::RenderSettings& settings) const {
    const WanTransformerConfig& dit = m_transformer.config();
    const vae::wan21::WanVaeConfig& vae = m_vae.config();
    const auto count = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    const std::uint64_t pixels = count(settings.width) * count(settings.height);
    const std::uint64_t patchPixels =
        count(vae.spatialFactor() * dit.patchSize[1]) * count(vae.spatialFactor() * dit.patchSize[2]);
    const std::uint64_t tokens =
        pixels / patchPixels * count((settings.numFrames - 1) / vae.temporalFactor() + 1);
    const std::uint64_t denoise = tokens * count(24 * dit.innerDim() + 8 * dit.ffnDim);
    const std::uint64_t decode = vae::wan21::bytesToDecode(
        vae, {.frames = settings.numFrames, .height = settings.height, .width = settings.width},
        tilingOf(settings));
    return std::max(denoise, decode);
}

}  // namespace

std::unique_ptr<pipeline::VideoModel> loadVideoModel(const families::ModelInfo& model,
                                                     const pipeline::LoadOptions& options) {
    return std::make_unique<WanVideoModel>(model.folder, options);
}

}  // namespace reelgrid::models::wan
