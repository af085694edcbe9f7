#include "core/pipeline/frame_production.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/metrics/temporal.h"
#include "core/pipeline/render_manifest.h"
#include "core/result/picture_hashes.h"
#include "core/result/unfinished_render.h"
#include "core/weights/safetensors_writer.h"

namespace reelgrid::pipeline {
namespace {

/// Who shows the latents to `preview`; null where nobody looks, or where the VAE's latents have no known
/// colours.
std::unique_ptr<PreviewObserver> previewsOf(const RenderPlan& plan, result::ComponentHasher& hasher,
                                            const protocol::PreviewCallback& preview) {
    const auto& components = plan.model.components;
    const auto vae = std::ranges::find(components, "vae", &families::ComponentInfo::name);
    if (!preview || vae == components.end()) return nullptr;
    auto colors = latentColorsOf(hasher.hash(vae->files).value().sha256);
    if (!colors) return nullptr;
    return std::make_unique<PreviewObserver>(*std::move(colors), plan.steps, preview);
}

/// What measures other backends on this render's latents; null when none are asked for.
std::unique_ptr<lockstep::LockstepObserver> lockstepOf(const RenderPlan& plan, denoising::StageClock& clock) {
    if (plan.settings.lockstep.empty()) return nullptr;
    return std::make_unique<lockstep::LockstepObserver>(plan.settings.lockstep, plan.model.layers, plan.steps,
                                                        plan.execution, clock, callSettingsOf(plan));
}

/// What was asked of tiles that there are none of; empty: nothing.
std::string tilingRemark(const RenderPlan& plan) {
    const auto& asked = plan.request.vaeTilePx;
    const bool isIdle = asked && *asked != protocol::kTilePixels &&
                        plan.request.vaeTiling != protocol::kTilingOff &&
                        plan.settings.vaeTiling == protocol::kTilingOff;
    return isIdle ? "--vae-tile-px " + std::to_string(*asked) + " had no effect: the clip was decoded whole"
                  : std::string();
}

/// Of [1, C, T, H, W]; absent for one frame.
std::optional<double> frameCorrelationOf(const at::Tensor& latents_1CTHW) {
    if (!latents_1CTHW.defined() || latents_1CTHW.dim() != 5 || latents_1CTHW.size(2) < 2)
        return std::nullopt;
    const at::Tensor frames = latents_1CTHW[0].transpose(0, 1).to(at::kCPU, at::kFloat).contiguous();
    return metrics::frameCorrelation(
               {frames.const_data_ptr<float>(), static_cast<std::size_t>(frames.numel())},
               static_cast<int>(frames.size(0)))
        .mean;
}

}  // namespace

FrameProduction::FrameProduction(RenderPlan& plan, WarmModel& model, denoising::StageClock& clock,
                                 const protocol::PreviewCallback& preview)
    : m_plan(plan),
      m_model(model),
      m_clock(clock),
      m_preview(preview),
      m_attention(plan),
      m_points(
          plan.request, plan.settings, plan.writes() ? ResumeFile::Keeps::Points : ResumeFile::Keeps::Nothing,
          [this] { return m_model.areHashesReady(); },
          [this] {
              ResumeFile::Story story{.manifest = manifestNow(), .timing = m_clock.stepsUntilNow()};
              story.manifest.calls = m_attention.calls().mapsOfBranches();
              return story;
          }) {}

denoising::VideoModel& FrameProduction::begin() {
    denoising::VideoModel& video = m_model.use(m_plan, m_clock);
    m_gemms = video.gemms();
    m_remarks = video.oddTensors();
    for (std::string& remark : video.remarks(m_plan.settings)) m_remarks.push_back(std::move(remark));
    for (std::string& remark : video.idleLoras()) m_remarks.push_back(std::move(remark));
    if (std::string remark = catalog::stepCacheRemark(m_plan.settings, m_plan.model); !remark.empty())
        m_remarks.push_back(std::move(remark));
    m_temporal = video.temporal(m_plan.settings);
    m_plan.settleTiling(video);
    if (std::string remark = tilingRemark(m_plan); !remark.empty()) m_remarks.push_back(std::move(remark));
    m_lockstep = lockstepOf(m_plan, m_clock);
    m_previews = previewsOf(m_plan, m_model.hasher(), m_preview);
    resume();
    return video;
}

at::Tensor FrameProduction::denoise(denoising::VideoModel& video, int repetition) {
    if (repetition > 0) {
        m_clock.setWatcher(nullptr);
        m_clock.startRepetition();
    }
    at::Tensor latents =
        denoising::denoise(video, m_plan.settings, m_attention.dispatcher(), m_clock, followers(repetition));
    m_clock.shareSlowest();
    m_attention.dispatcher().endPasses();
    m_attention.endFirst();
    m_clock.checkStop();
    return latents;
}

void FrameProduction::denoiseOnly() {
    denoising::VideoModel& video = begin();
    for (int repetition = 0; repetition < m_plan.settings.numRepetitions; ++repetition) {
        const at::Tensor latents = denoise(video, repetition);
        if (repetition + 1 == m_plan.settings.numRepetitions) gatherCalls();
        if (m_plan.settings.vaeTiling == protocol::kTilingOn)
            static_cast<void>(denoising::decode(video, latents, m_plan.settings, m_clock));
        m_repetitions.push_back(m_clock.finishRepetition());
    }
}

media::RgbVideo FrameProduction::run(result::PendingResult& pending) {
    denoising::VideoModel& video = begin();
    const catalog::RenderSettings& settings = m_plan.settings;
    media::RgbVideo frames;
    for (int repetition = 0; repetition < settings.numRepetitions; ++repetition) {
        const at::Tensor latents = denoise(video, repetition);
        if (repetition + 1 == settings.numRepetitions) gatherCalls();
        if (repetition == 0) keepLatents(pending.latents(), latents);
        m_latentCorrelation = frameCorrelationOf(latents);
        m_correlationApart = frameCorrelationOf(video.framesApart());
        // Tiles are decoded by all ranks, a whole clip by this one, while others may go on.
        const bool isLast = repetition + 1 == settings.numRepetitions;
        if (m_plan.execution.mesh != nullptr && isLast && settings.vaeTiling != protocol::kTilingOn)
            m_plan.execution.mesh->group().stopAlone();
        frames = denoising::decode(video, latents, settings, m_clock);
        if (repetition + 1 < settings.numRepetitions) m_repetitions.push_back(m_clock.finishRepetition());
    }
    return frames;
}

void FrameProduction::keepLatents(const std::filesystem::path& file, const at::Tensor& latents) const {
    const std::map<std::string, at::Tensor> tensors{{"latents", latents}};
    weights::writeHashedSafetensors(file, tensors).value();
    if (m_plan.settings.chainSave)
        weights::writeHashedSafetensors(*m_plan.settings.chainSave, tensors).value();
}

bool FrameProduction::isResumable() const {
    return result::obstacleToResuming(m_plan.settings).empty();
}

/// Goes on from what an interrupted render kept, where the request says so and there is something.
void FrameProduction::resume() {
    if (!m_plan.request.resume || !isResumable()) return;
    auto earlier = m_plan.writes() ? m_points.readStart(manifestNow()) : std::nullopt;
    if (m_plan.execution.mesh != nullptr) m_points.shareStart(m_plan.execution.mesh->group().all());
    if (!earlier) return;
    m_earlier = *std::move(earlier);
    m_earlier.manifest.resumedAt.push_back(m_earlier.done);
    m_attention.calls().goOnFrom(m_earlier.manifest.calls);
    m_clock.setEarlier(m_earlier.timing);
}

/// With guidance parallel another rank has made the other branch's calls.
void FrameProduction::gatherCalls() {
    parallel::Mesh* const mesh = m_plan.execution.mesh;
    if (mesh == nullptr || mesh->degrees().cfg == 1) return;
    result::Manifest mine;
    mine.attention = m_attention.dispatcher().records();
    mine.calls = m_attention.calls().mapsOfBranches();
    const auto texts = mesh->branches().gather(printJson(result::toJson(mine)));
    if (!m_plan.writes()) return;
    for (std::size_t branch = 1; branch < texts.size(); ++branch) {
        const auto theirs =
            result::manifestFromJson(parseJson(texts[branch], "another rank").value()).value();
        m_otherCalls = joined(m_otherCalls, theirs.attention);
        m_attention.calls().goOnFrom(theirs.calls);
    }
}

denoising::LoopFollowers FrameProduction::followers(int repetition) {
    denoising::LoopFollowers followers{.resume = isResumable() ? &m_points : nullptr};
    if (repetition > 0) return followers;
    if (m_previews) followers.observers.push_back(m_previews.get());
    if (m_lockstep) followers.observers.push_back(m_lockstep.get());
    return followers;
}

result::Manifest FrameProduction::manifestNow() {
    result::Manifest manifest = renderManifest(m_plan);
    manifest.modelHashes = m_model.hashes();
    manifest.gemms = m_gemms;
    manifest.remarks = m_remarks;
    manifest.temporal = m_temporal;
    if (parallel::Mesh* const mesh = m_plan.execution.mesh;
        mesh != nullptr && m_plan.execution.device.is_cuda()) {
        const parallel::ExchangeChoice& exchange = mesh->group().exchange();
        if (exchange.nccl != nullptr)
            manifest.versions["nccl"] = exchange.nccl->version();
        else
            manifest.remarks.push_back("the ranks' GPUs exchanged through host memory: " + exchange.whyHost);
    }
    manifest.attention =
        joined(joined(m_earlier.manifest.attention, m_attention.dispatcher().records()), m_otherCalls);
    manifest.resumedAt = m_earlier.manifest.resumedAt;
    return manifest;
}

result::Manifest FrameProduction::finishManifest() {
    result::Manifest manifest = manifestNow();
    manifest.calls = m_attention.calls().maps();
    manifest.captures = m_attention.finishCaptures(m_plan);
    return manifest;
}

std::optional<metrics::LockstepMap> FrameProduction::lockstep() const {
    return m_lockstep ? std::optional(m_lockstep->map()) : std::nullopt;
}

std::string FrameProduction::sourcesKey() {
    std::string text;
    for (const auto& hashes : {m_model.hashes(), m_plan.pictureHashes})
        for (const auto& [name, hash] : hashes) text += name + " " + hash + "\n";
    return text;
}

}  // namespace reelgrid::pipeline
