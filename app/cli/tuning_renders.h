#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "app/cli/render_options.h"
#include "core/base/result.h"
#include "core/jobs/job_queue.h"
#include "core/result/clip_result.h"
#include "core/tune/tuning.h"

namespace reelgrid::cli {

/// Renders a tuning's clips one after another in one worker, which keeps the model and the sdpa clip's
/// frames, with progress on stderr, and measures them against the sdpa clip, which is the first.
class TuningRenders {
  public:
    /// At most `atMost` renders will be asked for, for the estimate of what is left.
    TuningRenders(std::filesystem::path folder, int atMost, const jobs::JobQueueOptions& worker,
                  std::stop_token stop);
    ~TuningRenders();
    TuningRenders(const TuningRenders&) = delete;
    TuningRenders& operator=(const TuningRenders&) = delete;

    /// Renders what was checked, under the name of its attention in the folder, and fills in what was
    /// measured. Error code Cancelled when a stop was requested.
    Result<tune::TuningRender> render(const std::string& name, CheckedRequest checked,
                                      const tune::Budget& budget);

    /// What the last render's files say.
    [[nodiscard]] const result::ClipResult& lastResult() const { return m_last; }
    /// Whether self-attention was timed in the sdpa clip, so that its seconds are what is compared.
    [[nodiscard]] bool timesAttention() const { return m_attentionYardstick.has_value(); }

  private:
    class Worker;
    [[nodiscard]] Result<void> measure(tune::TuningRender& render, const tune::Budget& budget);

    std::filesystem::path m_folder;
    std::unique_ptr<Worker> m_worker;
    std::filesystem::path m_reference;           ///< the sdpa clip
    std::optional<double> m_attentionYardstick;  ///< its seconds outside attention
    result::ClipResult m_last;
};

}  // namespace reelgrid::cli
