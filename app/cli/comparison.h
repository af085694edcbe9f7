#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/render_options.h"
#include "core/base/result.h"
#include "core/session/clip_label.h"
#include "core/session/clip_measurements.h"
#include "core/session/same_work.h"

namespace reelgrid::cli {

/// One backend's part in a comparison.
struct ComparisonEntry {
    CheckedRequest checked;      ///< its output is set
    bool reused = false;         ///< the clip was there already
    std::optional<Error> error;  ///< why there is no clip
    session::ClipMeasurements measured;

    [[nodiscard]] const std::string& type() const { return checked.settings.attentionType; }
    [[nodiscard]] std::filesystem::path clip() const { return checked.request.output; }
    /// "fav2", or "fav2+policy-3f2a" under a policy that alters it.
    [[nodiscard]] std::string name() const { return attentionName(checked.settings); }
    /// The name, with what ran instead when another backend served it: "fav2 (ran sdpa)".
    [[nodiscard]] std::string label() const { return session::clipLabel(name(), measured); }
};

/// The same prompt, model and seed with several backends, and where its files are.
struct Comparison {
    std::filesystem::path folder;          ///< absolute
    std::vector<ComparisonEntry> entries;  ///< in the order they were asked for
    std::filesystem::path grid;            ///< empty: not made

    [[nodiscard]] std::vector<const ComparisonEntry*> finished() const;
    [[nodiscard]] std::filesystem::path reportPath() const { return folder / "report.html"; }
    [[nodiscard]] std::filesystem::path sessionPath() const { return folder / "session.json"; }
    [[nodiscard]] std::filesystem::path gridPath() const { return folder / "comparison_grid.mp4"; }
};

/// True when the clip and its manifest are there, and the manifest's render is this one: the same model
/// folder, program version and every resolved setting.
bool isReusable(const CheckedRequest& checked);

/// Adds "drift" (PSNR and SSIM against the sdpa clip) to the metrics.json of each clip whose render didn't
/// measure it on its own frames: from the decoded clips, and says so. Nothing to do without an sdpa clip.
Result<void> measureMissingDrift(Comparison& comparison);

/// How long the same work took in the fastest and the slowest of the renders.
std::optional<session::SameWork> sameWork(const Comparison& comparison);

/// The warning where that is uneven: one line with the figures.
std::string unevenWorkLine(const session::SameWork& work);

/// Writes session.json for the studio.
Result<void> saveSession(const Comparison& comparison);

}  // namespace reelgrid::cli
