#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "core/comparison/entry.h"
#include "core/machine/machine.h"
#include "core/session/session.h"

namespace reelgrid::studio {

inline constexpr const char* kReportFile = "report.html";
/// The stitched grid that `reelgrid-cli compare` writes beside the session, and what an export is called at
/// first.
inline constexpr const char* kGridFile = "comparison_grid.mp4";

/// What a report is written of.
struct ReportedComparison {
    session::Session session;
    std::vector<comparison::Entry> failed;  ///< the renders that left no clip, each with its error
    std::filesystem::path folder;           ///< the session's own; empty: it has none yet
    machine::Machine machine{};             ///< that its request would be rendered on
    /// What was measured on request of clips, beyond what their companions say.
    std::map<std::filesystem::path, metrics::ClipMetrics> requested{};
};

/// Whether something that is no report of ours stands under that name. Blocks on the disk.
bool isForeign(const std::filesystem::path& file);

/// Writes the page that `reelgrid-cli compare` writes, of a session's clips as their companions tell of them;
/// what those lack is measured. A stitched grid in the session's folder is linked where it was made of these
/// very clips (media::clipsOfGrid()). Blocks; for a background thread. Fails where neither a manifest nor the
/// session's request says what was rendered.
Result<void> writeReport(const ReportedComparison& comparison, const std::filesystem::path& file);

}  // namespace reelgrid::studio
