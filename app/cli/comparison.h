#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/diffusers_engine.h"
#include "app/cli/metric_options.h"
#include "app/cli/render_options.h"
#include "core/base/result.h"
#include "core/comparison/earlier_session.h"
#include "core/comparison/entry.h"

namespace reelgrid::cli {

/// One backend's part in a comparison.
struct ComparisonEntry : comparison::Entry {
    CheckedRequest checked;  ///< its output is set
    bool reused = false;     ///< the clip was there already
    bool isForeign = false;  ///< another engine's clip of the same request

    [[nodiscard]] const std::string& type() const { return caption.backend; }
};

/// The same prompt, model and seed with several backends, and where its files are.
struct Comparison {
    std::filesystem::path folder;           ///< absolute
    std::vector<ComparisonEntry> entries;   ///< in the order they were asked for
    std::filesystem::path grid;             ///< empty: not made
    std::filesystem::path report, session;  ///< empty: not written
    comparison::EarlierSession earlier;     ///< what people had put into the folder's session

    [[nodiscard]] std::vector<const ComparisonEntry*> finished() const;
    /// As the parts that both programs share take them.
    [[nodiscard]] std::vector<comparison::Entry> shared() const { return {entries.begin(), entries.end()}; }
    [[nodiscard]] std::filesystem::path reportPath() const { return folder / "report.html"; }
    [[nodiscard]] std::filesystem::path sessionPath() const { return folder / "session.json"; }
    [[nodiscard]] std::filesystem::path gridPath() const { return folder / "comparison_grid.mp4"; }
};

/// Reads what the finished clip's files say of it, and what ran in its backend's place.
void readResult(ComparisonEntry& entry);

/// Marks the entries whose clips are there already, whole and of the same render, as reused; says on stderr
/// why one that is there is rendered again.
void reuseEarlier(Comparison& comparison);

/// Adds "drift" (PSNR and SSIM against the reference clip) to the metrics.json of each clip whose render
/// didn't measure it on its own frames: from the decoded clips, and says so. A drift from any other clip
/// counts for nothing. Without a reference clip there is none.
Result<void> measureMissingDrift(Comparison& comparison);

/// OutOfMemory where the engine can't decode what it will be given, the clip of the reference, else the first
/// one: before anything is rendered on this machine.
Result<void> requireDecodable(const DiffusersEngine& engine, const Comparison& comparison,
                              const machine::Machine& machine);

/// Renders what the reference, else the first finished clip, is of with the engine, as a further entry.
void renderWith(const DiffusersEngine& engine, Comparison& comparison, const std::stop_token& stop);

/// Adds what --metrics names to the metrics.json of each clip, against the reference clip where there is one.
Result<void> measureAsked(Comparison& comparison, MetricOptions& asked, const std::stop_token& stop);

/// For the studio: the clips, and of what people had put into the folder's session what holds for them; says
/// on stderr what doesn't.
session::Session sessionOf(const Comparison& comparison);

/// Writes report.html, and says so in `comparison`.
Result<void> saveReport(Comparison& comparison, const session::Session& session);

/// Writes session.json, and says so in `comparison`. One that can't be read is put aside, which is said.
Result<void> saveSession(Comparison& comparison, const session::Session& session);

}  // namespace reelgrid::cli
