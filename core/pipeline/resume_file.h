#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/catalog/render_settings.h"
#include "core/denoising/resume_point.h"
#include "core/parallel/communicator.h"
#include "core/protocol/render_request.h"
#include "core/result/manifest.h"
#include "core/result/resume_story.h"

namespace reelgrid::pipeline {

/// A render's resume points in one file among the clip's, resume.safetensors, replaced at once at every
/// `save_latents_every`th step and at the last; unfinished.json beside it says so to people.
class ResumeFile final : public denoising::ResumePoints {
  public:
    /// What a point is kept with.
    using Story = result::ResumeStory;

    /// `now` returns the story so far; it is called within keep(). While `ready` says no, what should be kept
    /// waits for a later step: a story that isn't known yet would hold up the loop. A rank that writes
    /// nothing keeps nothing.
    enum class Keeps { Points, Nothing };
    ResumeFile(const protocol::RenderRequest& request, const catalog::RenderSettings& settings, Keeps keeps,
               std::function<bool()> ready, std::function<Story()> now);

    /// Reads what an interrupted render left, for takeStart(), and gives back its story; nothing where none
    /// was left. Throws Failure(InvalidData) when the file is damaged or of another render: the message says
    /// in what they differ.
    std::optional<Story> readStart(const result::Manifest& now);

    /// Of several ranks, called by all: what the first one read is where all begin.
    void shareStart(parallel::Communicator& ranks);

    std::optional<denoising::ResumePoint> takeStart() override {
        return std::exchange(m_start, std::nullopt);
    }
    [[nodiscard]] bool wants(int done, int steps) const override;
    void keep(const denoising::ResumePoint& point) override;

  private:
    protocol::RenderRequest m_request;
    int m_every;
    int m_kept = 0;  ///< steps done at the last point
    std::filesystem::path m_file;
    std::function<bool()> m_ready;
    std::function<Story()> m_now;
    std::optional<denoising::ResumePoint> m_start;
};

/// `now` with what `earlier` counted: calls and their seconds.
std::vector<protocol::CallRecord> joined(const std::vector<protocol::CallRecord>& earlier,
                                         std::vector<protocol::CallRecord> now);

}  // namespace reelgrid::pipeline
