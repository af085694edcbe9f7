#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/denoising/sampling_loop.h"
#include "core/denoising/stage_clock.h"
#include "core/lockstep/lockstep_observer.h"
#include "core/media/frame.h"
#include "core/pipeline/latent_preview.h"
#include "core/pipeline/render_attention.h"
#include "core/pipeline/render_plan.h"
#include "core/pipeline/resume_file.h"
#include "core/pipeline/warm_model.h"
#include "core/protocol/render_preview.h"
#include "core/result/manifest.h"
#include "core/result/pending_result.h"

namespace reelgrid::pipeline {

/// The second act of a render: its frames, from the first step or where an interrupted render stopped, and
/// what was noted while they were made.
class FrameProduction {
  public:
    /// Refuses what attention or captures can't do, before a model is loaded. All outlive this. Throws
    /// Failure.
    FrameProduction(RenderPlan& plan, WarmModel& model, denoising::StageClock& clock,
                    const protocol::PreviewCallback& preview);
    FrameProduction(const FrameProduction&) = delete;
    FrameProduction& operator=(const FrameProduction&) = delete;

    /// The frames of the last repetition; the first one's latents are written before they are decoded.
    /// Throws Failure.
    media::RgbVideo run(result::PendingResult& pending);
    /// The same on a rank that writes nothing: as many repetitions, up to the latents.
    void denoiseOnly();

    // Once it has run.

    /// All that is known but what is made of the frames. Once.
    [[nodiscard]] result::Manifest finishManifest();
    [[nodiscard]] std::optional<metrics::LockstepMap> lockstep() const;
    /// Frame correlation of the latents, and of those before frames saw each other; absent for one frame.
    [[nodiscard]] const std::optional<double>& latentCorrelation() const { return m_latentCorrelation; }
    [[nodiscard]] const std::optional<double>& correlationApart() const { return m_correlationApart; }
    /// Of every repetition but the last, which the clock still times.
    [[nodiscard]] const std::vector<result::Timing>& earlierRepetitions() const { return m_repetitions; }
    /// Identifies model and pictures, whatever they are called.
    [[nodiscard]] std::string sourcesKey();

  private:
    void keepLatents(const std::filesystem::path& file, const at::Tensor& latents) const;
    [[nodiscard]] denoising::VideoModel& begin();
    [[nodiscard]] at::Tensor denoise(denoising::VideoModel& video, int repetition);
    void resume();
    void gatherCalls();
    [[nodiscard]] denoising::LoopFollowers followers(int repetition);
    [[nodiscard]] result::Manifest manifestNow();
    [[nodiscard]] bool isResumable() const;

    RenderPlan& m_plan;
    WarmModel& m_model;
    denoising::StageClock& m_clock;
    protocol::PreviewCallback m_preview;
    RenderAttention m_attention;
    ResumeFile m_points;
    ResumeFile::Story m_earlier;                     ///< of the render that was interrupted, if one was
    std::vector<protocol::CallRecord> m_otherCalls;  ///< that other ranks made for this one
    std::optional<result::GemmRecord> m_gemms;
    std::vector<std::string> m_remarks;  ///< of the model
    std::optional<result::TemporalRecord> m_temporal;
    std::optional<double> m_latentCorrelation, m_correlationApart;
    std::unique_ptr<PreviewObserver> m_previews;
    std::unique_ptr<lockstep::LockstepObserver> m_lockstep;
    std::vector<result::Timing> m_repetitions;
};

}  // namespace reelgrid::pipeline
