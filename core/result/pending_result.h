#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/metrics/clip_metrics.h"
#include "core/result/manifest.h"
#include "core/result/timing.h"
#include "core/result/writer_lock.h"

namespace reelgrid::result {

/// A clip and its companions on their way: everything is written under names of its own and takes the final
/// names together, so that an earlier result under these names stays whole until a new one is. Holds the
/// result's lock from create() on. Uncommitted, all but the latents is removed.
class PendingResult {
  public:
    /// Io when the clip's folder or the companions' can't be made or written to, or when another process is
    /// writing this result.
    static Result<PendingResult> create(const std::filesystem::path& clip);

    /// Where to write the clip, once its frames are there.
    [[nodiscard]] std::filesystem::path clip() const;
    /// Where to write the latents, before they are decoded. They stay when what follows fails, so that no
    /// work is lost: "latents.partial.safetensors".
    [[nodiscard]] std::filesystem::path latents() const;

    /// Where to write the frames without loss, where they are kept: the manifest then says so.
    [[nodiscard]] std::filesystem::path frames() const;

    /// Fills in the manifest's and the figures' clip_sha256, which it returns, writes the companions and
    /// gives everything its final name, the clip first and the manifest last: a process that is killed in
    /// between leaves a clip that its manifest doesn't fit.
    Result<std::string> commit(Manifest manifest, metrics::ClipMetrics metrics,
                               const std::vector<Timing>& timings);

    PendingResult(PendingResult&& other) noexcept;
    PendingResult& operator=(PendingResult&&) = delete;
    ~PendingResult();

  private:
    PendingResult(WriterLock lock, std::filesystem::path clip);

    WriterLock m_lock;
    std::filesystem::path m_clip;
    std::filesystem::path m_folder;  // empty: moved from
};

}  // namespace reelgrid::result
