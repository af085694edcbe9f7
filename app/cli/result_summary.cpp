#include "app/cli/result_summary.h"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/cli/console.h"
#include "core/base/pending_file.h"
#include "core/protocol/parse_json.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::cli {

using nlohmann::json;

json clipJson(const std::filesystem::path& clip) {
    const std::filesystem::path folder = protocol::resultFolderOf(clip);
    json object = {{"clip", clip.string()}, {"files", folder.string()}};
    for (const auto& [key, name] :
         {std::pair{"timing", protocol::kTimingFile}, std::pair{"metrics", protocol::kMetricsFile},
          std::pair{"manifest", protocol::kManifestFile}}) {
        const auto text = readFile(folder / name);
        if (!text) continue;
        if (auto parsed = protocol::parseJson(*text, name)) object[key] = *std::move(parsed);
    }
    return object;
}

std::string timingLine(const session::RunTiming& run) {
    std::string line;
    for (const auto& [stage, seconds] : run.stages)
        line += (line.empty() ? "" : ", ") + stage + " " + fixed(seconds, 2) + " s";
    return line;
}

std::string attentionLine(const session::ClipMeasurements& measured) {
    std::string line;
    std::string module;
    for (const char* wanted : {"self", "cross"})
        for (const session::AttentionUse& use : measured.attention) {
            if (use.module != wanted) continue;
            line += module == wanted ? ", " : (line.empty() ? "" : "; ") + use.module + "-attention: ";
            line += use.used + " " + std::to_string(use.calls) + " calls" +
                    (use.used != use.requested ? " in place of " + use.requested : "");
            module = wanted;
        }
    return line;
}

std::vector<std::string> attentionRemarks(const session::ClipMeasurements& measured) {
    std::vector<std::string> lines;
    for (const session::AttentionUse& use : measured.attention) {
        const std::string module = use.module + "-attention";
        if (use.used != use.requested)
            lines.push_back(module + ": " + use.requested + " was asked for, " + use.used + " ran " +
                            std::to_string(use.calls) + " calls" +
                            (use.why.empty() ? "" : " (" + use.why + ")"));
        else if (!use.why.empty())
            lines.push_back(module + " with " + use.used + ": " + use.why);
    }
    return lines;
}

}  // namespace reelgrid::cli
