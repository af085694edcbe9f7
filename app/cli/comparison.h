#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/render_options.h"
#include "core/base/result.h"
#include "core/comparison/entry.h"

namespace reelgrid::cli {

/// One backend's part in a comparison.
struct ComparisonEntry : comparison::Entry {
    CheckedRequest checked;  ///< its output is set
    bool reused = false;     ///< the clip was there already

    [[nodiscard]] const std::string& type() const { return caption.backend; }
};

/// The same prompt, model and seed with several backends, and where its files are.
struct Comparison {
    std::filesystem::path folder;          ///< absolute
    std::vector<ComparisonEntry> entries;  ///< in the order they were asked for
    std::filesystem::path grid;            ///< empty: not made

    [[nodiscard]] std::vector<const ComparisonEntry*> finished() const;
    /// As the parts that both programs share take them.
    [[nodiscard]] std::vector<comparison::Entry> shared() const { return {entries.begin(), entries.end()}; }
    [[nodiscard]] std::filesystem::path reportPath() const { return folder / "report.html"; }
    [[nodiscard]] std::filesystem::path sessionPath() const { return folder / "session.json"; }
    [[nodiscard]] std::filesystem::path gridPath() const { return folder / "comparison_grid.mp4"; }
};

/// Reads what the finished clip's files say of it, and what ran in its backend's place.
void readResult(ComparisonEntry& entry);

/// True when the clip and its manifest are there, and the manifest's render is this one: the same model
/// folder, program version and every resolved setting.
bool isReusable(const CheckedRequest& checked);

/// Adds "drift" (PSNR and SSIM against the reference clip) to the metrics.json of each clip whose render
/// didn't measure it on its own frames: from the decoded clips, and says so. Nothing to do without a
/// reference clip.
Result<void> measureMissingDrift(Comparison& comparison);

/// Writes report.html.
Result<void> saveReport(const Comparison& comparison);

/// Writes session.json for the studio.
Result<void> saveSession(const Comparison& comparison);

}  // namespace reelgrid::cli
