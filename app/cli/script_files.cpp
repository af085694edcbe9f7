#include "app/cli/script_files.h"

#include <algorithm>
#include <optional>

#include "app/cli/console.h"
#include "core/base/folder.h"
#include "core/protocol/asked_backends.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::cli {
namespace {

namespace fs = std::filesystem;

Result<void> copyTo(const fs::path& from, const fs::path& to) {
    std::error_code failed;
    fs::create_directories(to.parent_path(), failed);
    if (!failed) fs::copy_file(from, to, fs::copy_options::overwrite_existing, failed);
    if (!failed) return {};
    return Error{ErrorCode::Io,
                 "can't copy " + from.string() + " to " + to.string() + ": " + failed.message()};
}

/// The one that comes first by name; nothing of ours, which says more of itself than its name does.
std::optional<fs::path> foreignClip(const Comparison& comparison, const std::string& type) {
    const catalog::RenderSettings& settings = comparison.entries.front().checked.settings();
    const std::string ending = "_attn_" + type + "_" + std::to_string(settings.height) + "x" +
                               std::to_string(settings.width) + ".mp4";
    std::vector<fs::path> found;
    std::error_code failed;
    const auto files = entriesOf(comparison.folder / protocol::kResultsFolder);
    if (!files) return std::nullopt;  // a render into the folder says what is wrong with it
    for (const fs::directory_entry& file : *files) {
        const bool isOurs =
            fs::exists(protocol::resultFolderOf(file.path()) / protocol::kManifestFile, failed);
        if (file.path().filename().string().ends_with(ending) && file.is_regular_file(failed) && !isOurs)
            found.push_back(file.path());
    }
    std::ranges::sort(found);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

}  // namespace

Result<void> writeScriptFiles(const fs::path& folder, const fs::path& clip, const families::Script& script,
                              const std::string& profile) {
    if (auto copied = copyTo(protocol::resultFolderOf(clip) / protocol::kTimingFile,
                             folder / protocol::kResultsFolder / protocol::kTimingFile);
        !copied)
        return copied;
    if (*script.trace == '\0' || profile.empty() || protocol::isTraceFolder(profile)) return {};
    std::error_code failed;
    for (int rank = 0;; ++rank) {
        const fs::path trace = protocol::tracePathOf(clip, profile, rank);
        if (rank > 0 && !fs::exists(trace, failed)) return {};
        const std::string name = script.trace + std::to_string(rank) + ".json.gz";
        if (auto copied = copyTo(trace, folder / protocol::kTracesFolder / profile / name); !copied)
            return copied;
    }
}

void reuseByName(Comparison& comparison) {
    for (ComparisonEntry& entry : comparison.entries) {
        if (entry.reused) continue;
        const auto clip = foreignClip(comparison, entry.type());
        if (!clip) continue;
        entry.clip = *clip;
        entry.reused = true;
        say("note: " + entry.caption.name + ": " + clip->filename().string() +
            " is reused by its name; nothing says from which request it came");
    }
}

std::vector<media::LabelledClip> defaultByName(const Comparison& comparison) {
    const auto clip = foreignClip(comparison, protocol::kDefaultBackend);
    if (!clip) return {};
    say("note: " + clip->filename().string() + " joins the grid by its name");
    return {{*clip, protocol::kDefaultBackend}};
}

}  // namespace reelgrid::cli
