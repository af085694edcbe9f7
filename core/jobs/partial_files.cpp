#include "core/jobs/partial_files.h"

#include "core/protocol/result_paths.h"

namespace reelgrid::jobs {
namespace {

namespace fs = std::filesystem;

void removeMatching(const fs::path& folder, const std::string& start, const std::string& tag) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        const std::string name = entry.path().filename().string();
        std::error_code ignored;
        if (name.starts_with(start) && name.find(tag) != std::string::npos) fs::remove(entry.path(), ignored);
    }
}

}  // namespace

void removePartialFiles(const fs::path& clip, pid_t pid) {
    if (clip.empty() || pid <= 0) return;
    // The name that PendingFile gives: <final name>.partial-<process>-<number><extension>.
    const std::string tag = ".partial-" + std::to_string(pid) + "-";
    removeMatching(clip.parent_path(), clip.filename().string() + tag, tag);
    removeMatching(protocol::resultFolderOf(clip), "", tag);
}

}  // namespace reelgrid::jobs
