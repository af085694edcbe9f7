#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/denoising/stage_clock.h"
#include "core/denoising/video_model.h"
#include "core/pipeline/render_plan.h"
#include "core/result/hashes_under_way.h"

namespace reelgrid::pipeline {

/// The last render's model, which the next one doesn't load again unless it asks for another.
class WarmModel {
  public:
    /// The plan's model, in the stage "load" where it isn't in memory. Files that changed since they were
    /// loaded are loaded again. Throws Failure.
    denoising::VideoModel& use(const RenderPlan& plan, denoising::StageClock& clock);

    /// Throws Failure(InvalidData) where a file of the plan's model was written over since it was hashed for
    /// use(): weights lie in memory as the file's pages, as far as nothing converts them.
    void requireUnchanged(const RenderPlan& plan);

    /// Of use()'s model. They are made while it is loaded and, on a GPU, while it renders: waits for them.
    const std::map<std::string, std::string>& hashes();
    /// Whether hashes() has nothing to wait for.
    [[nodiscard]] bool areHashesReady() const { return !m_hashing || m_hashing->ready(); }
    [[nodiscard]] result::ComponentHasher& hasher() { return m_hasher; }

    /// How the plan's model lies in memory now; nullopt where it isn't loaded.
    [[nodiscard]] std::optional<MemoryChoice> present(const RenderPlan& plan) const;

  private:
    [[nodiscard]] bool isFor(const RenderPlan& plan) const;

    families::ModelSource m_source;
    LoadChoices m_choices;
    execution::Execution m_execution;
    std::map<std::string, std::string> m_hashes;  ///< empty while they are made
    std::unique_ptr<denoising::VideoModel> m_video;
    result::ComponentHasher m_hasher{result::KeptHashes::ofUser()};
    std::unique_ptr<result::HashesUnderWay> m_hashing;
};

}  // namespace reelgrid::pipeline
