#include "core/result/interrupted_renders.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "core/base/folder.h"
#include "core/protocol/result_paths.h"
#include "core/result/writer_lock.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;

std::optional<InterruptedRender> interruptedOf(const fs::path& folder, const fs::path& comparison) {
    std::error_code failed;
    if (folder != protocol::resultFolderOf(folder) || !fs::exists(folder / protocol::kUnfinishedFile, failed))
        return std::nullopt;
    if (WriterLock::isHeld(folder)) return std::nullopt;
    auto left = readUnfinished(folder);
    if (!left || !*left) return std::nullopt;
    InterruptedRender render{comparison, folder, **std::move(left)};
    render.clip.replace_extension(fs::path(render.left.request.output).extension());
    render.left.request.output = render.clip.string();
    protocol::forgetFilesToWrite(render.left.request);
    if (!fs::exists(folder / protocol::kResumeFile, failed)) render.left.stepsKept = 0;
    return render;
}

void addFrom(const fs::path& folder, const fs::path& comparison, std::vector<InterruptedRender>& found) {
    const auto entries = entriesOf(folder);
    if (!entries) return;
    for (const fs::directory_entry& entry : *entries)
        if (auto render = interruptedOf(entry.path(), comparison)) found.push_back(*std::move(render));
}

}  // namespace

std::vector<InterruptedRender> interruptedIn(const fs::path& comparison) {
    std::vector<InterruptedRender> found;
    addFrom(comparison, comparison, found);
    addFrom(comparison / protocol::kResultsFolder, comparison, found);
    std::ranges::sort(found, {}, &InterruptedRender::clip);
    return found;
}

std::vector<InterruptedRender> interruptedBelow(const fs::path& results, const std::stop_token& stop) {
    std::vector<InterruptedRender> found;
    for (const fs::path& folder : foldersNewestFirst(results)) {
        if (stop.stop_requested()) break;
        std::ranges::move(interruptedIn(folder), std::back_inserter(found));
    }
    return found;
}

Result<void> discardInterrupted(const fs::path& clip) {
    const fs::path folder = protocol::resultFolderOf(clip);
    std::error_code ignored;
    {
        const auto lock = WriterLock::acquire(folder, std::chrono::milliseconds(0));
        if (!lock) return lock.error();
        removeUnfinished(clip);
        fs::remove(folder / protocol::kPartialLatentsFile, ignored);
    }
    fs::remove(folder, ignored);  // where nothing else is in it
    return {};
}

}  // namespace reelgrid::result
