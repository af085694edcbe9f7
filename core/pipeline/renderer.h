#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/machine/local_machine.h"
#include "core/parallel/rank_group.h"
#include "core/protocol/render_preview.h"
#include "core/protocol/render_progress.h"
#include "core/protocol/render_request.h"

namespace reelgrid::pipeline {

/// Renders requests, keeping the last model loaded so that the next backend starts without reloading.
/// Lives on one thread; progress is reported on that thread.
class Renderer {
  public:
    /// `ranks`: the processes that share each render, which all call render() with the same request; null:
    /// this one is alone. One of them writes the result.
    explicit Renderer(machine::LocalMachine machine = {}, parallel::RankGroup* ranks = nullptr);
    ~Renderer();

    /// Text → denoise → decode → clip and result folder at request.output. Returns the clip's path.
    /// Error code DeviceLost when a GPU failed, which this process can't use any more. Error code Cancelled
    /// when `stop` was requested (seen within one denoising step); nothing is left under the final names
    /// then. `preview`, where there is one and the model's VAE has a map to colours, is shown the latents.
    Result<std::string> render(const protocol::RenderRequest& request,
                               const protocol::ProgressCallback& progress, std::stop_token stop,
                               const protocol::PreviewCallback& preview = {});

  private:
    struct State;
    std::unique_ptr<State> m_state;
};

}  // namespace reelgrid::pipeline
