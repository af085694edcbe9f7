#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/metrics/clip_metrics.h"
#include "core/result/component_hash.h"

namespace reelgrid::comparison {

/// Measures on kept frames, else on decoded clips, what their renders left out: temporal scores, and the
/// drift from a reference clip. Clips are read part by part, so that their length costs no memory. Any
/// thread; blocks.
class ClipMeasurer {
  public:
    /// What a part of a clip and of its reference take together.
    static constexpr std::size_t kPartBytes = std::size_t{32} << 20;

    /// `reference` may be empty: then no drift is measured.
    explicit ClipMeasurer(std::filesystem::path reference, std::size_t partBytes = kPartBytes);

    /// Fills in what `known` lacks; true when it changed. A drift counts as known where its reference had the
    /// same SHA-256; another one gives way. A clip of another size than the reference gets no drift, nor does
    /// the reference itself. Without a reference a drift stays as it is. A stop request ends it within a part
    /// with Cancelled; `known` is then as it was.
    Result<bool> complete(const std::filesystem::path& clip, metrics::ClipMetrics& known,
                          const std::stop_token& stop = {}) const;

    /// Of the reference's file as it is now, read once while nobody touches it; empty where there is none, or
    /// it can't be read.
    [[nodiscard]] std::string referenceSha256() const;
    /// Says in `drift` that it is from the reference: its backend where its manifest says so, name and hash.
    void nameReference(metrics::Drift& drift) const;

  private:
    [[nodiscard]] Result<metrics::ClipMetrics> measureParts(const std::filesystem::path& clip,
                                                            bool wantsDrift,
                                                            const std::stop_token& stop) const;

    std::filesystem::path m_reference;
    std::size_t m_partBytes;
    mutable result::ComponentHasher m_hasher{result::KeptHashes::ofUser()};
};

}  // namespace reelgrid::comparison
