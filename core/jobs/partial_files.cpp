#include "core/jobs/partial_files.h"

#include "core/base/pending_name.h"
#include "core/protocol/result_paths.h"

namespace reelgrid::jobs {
namespace {

namespace fs = std::filesystem;

void removeOf(pid_t process, const fs::path& folder, const std::string& start) {
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string name = entry->path().filename().string();
        std::error_code ignored;
        if (name.starts_with(start) && processOfPendingName(name) == process)
            fs::remove(entry->path(), ignored);
    }
}

}  // namespace

void removePartialFiles(const fs::path& clip, pid_t pid) {
    if (clip.empty() || pid <= 0) return;
    removeOf(pid, clip.parent_path(), pendingNameStart(clip));
    const fs::path folder = protocol::resultFolderOf(clip);
    for (const fs::path& each : {folder, folder / protocol::kCapturesFolder}) removeOf(pid, each, "");
    // What says that nothing is finished, where no steps were kept: the job's failure says so, too.
    std::error_code failed;
    if (!fs::exists(folder / protocol::kResumeFile, failed))
        fs::remove(folder / protocol::kUnfinishedFile, failed);
    fs::remove(folder, failed);
}

}  // namespace reelgrid::jobs
