#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/catalog/render_settings.h"
#include "core/comparison/entry.h"
#include "core/session/blind_vote.h"

namespace reelgrid::comparison {

/// The same prompt, model and seed with several backends, as a report tells it.
struct Report {
    std::string modelTitle;
    catalog::RenderSettings settings;    ///< what the clips have in common
    std::vector<std::string> idleRules;  ///< for each rule of the policy why it decides nothing, else empty
    std::vector<Entry> entries;          ///< in the order in which they are shown
    std::filesystem::path folder;        ///< where the report will be: its links are relative to it
    std::filesystem::path grid;          ///< the clip of all; empty: not made
    std::vector<session::BlindVote> blindVotes{};
};

/// Stands in every report, before the version.
inline constexpr const char* kReportMark = "Written by ReelGrid";

/// The comparison as one HTML page without outside parts: what was rendered, times, quality, which backend
/// ran, charts, and the clips themselves (report_clips.h). Reads them.
std::string reportHtml(const Report& report);

}  // namespace reelgrid::comparison
