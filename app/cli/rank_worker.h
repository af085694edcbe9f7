#pragma once

#include <string>

#include "app/cli/worker_loop.h"
#include "core/parallel/rank_group.h"
#include "core/pipeline/renderer.h"

namespace reelgrid::cli {

/// The first rank of a worker on several: tells the others which job comes and renders it with them. After a
/// job that failed the ranks may be out of step, so it is the worker's last (DeviceLost).
class RankJobs {
  public:
    RankJobs(parallel::RankGroup& group, pipeline::Renderer& renderer)
        : m_group(group), m_renderer(renderer) {}
    /// Lets the others end.
    ~RankJobs();
    RankJobs(const RankJobs&) = delete;
    RankJobs& operator=(const RankJobs&) = delete;

    Result<std::string> render(const protocol::RenderRequest& request,
                               const protocol::ProgressCallback& progress,
                               const protocol::PreviewCallback& preview, std::stop_token stop);

  private:
    parallel::RankGroup& m_group;
    pipeline::Renderer& m_renderer;
    int m_jobs = 0;
};

/// Another rank of that worker: renders what the first one tells until it ends. The exit code.
int serveFirstRank(parallel::RankGroup& group, const machine::LocalMachine& machine);

}  // namespace reelgrid::cli
