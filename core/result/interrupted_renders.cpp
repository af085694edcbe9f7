#include "core/result/interrupted_renders.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/folder.h"
#include "core/base/sha256.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/result/resume_story.h"
#include "core/result/writer_lock.h"
#include "core/safetensors/header.h"
#include "core/safetensors/mapped_file.h"
#include "core/safetensors/tensor_hashes.h"

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;

/// What decides a clip, wherever it lies and however it was begun.
protocol::RenderRequest askedFor(protocol::RenderRequest request) {
    request.output.clear();
    request.resume = false;
    protocol::forgetFilesToWrite(request);
    return request;
}

/// Whether the very clip is there: its process ended before it could take the note away.
bool isWhole(const InterruptedRender& render) {
    const auto manifest = readManifest(render.clip);
    if (!manifest || !manifest->request || askedFor(*manifest->request) != askedFor(render.left.request))
        return false;
    const auto hash = sha256OfFile(render.clip);
    return hash && *hash == manifest->clipSha256;
}

/// Sets what --resume would find in the file of the steps. Throws Failure where it would refuse that.
void takeStepsIn(const fs::path& file, UnfinishedRender& left) {
    const auto mapped = safetensors::MappedFile::open(file);
    safetensors::requireUnchanged(mapped->bytes(), file.string(), safetensors::Hashes::Needed);
    if (!safetensors::readHeader(mapped->bytes(), file.string()).contains("latents"))
        throw Failure(ErrorCode::InvalidData, file.string() + ": a tensor \"latents\" was needed");
    const ResumeStory story = resumeStoryIn(mapped->bytes(), file.string());
    if (story.steps > 0) left.steps = story.steps;
    requireStepsWithin(file.string(), story.done, left.steps);
    left.stepsKept = story.done;
}

/// A note says what was so when it was written: what counts is what is there.
void holdToState(InterruptedRender& render, const fs::path& file) {
    const int noted = std::exchange(render.left.stepsKept, 0);
    std::error_code failed;
    if (isWhole(render)) {
        render.obstacle = render.clip.filename().string() + " is whole already";
    } else if (fs::exists(file, failed)) {
        try {
            takeStepsIn(file, render.left);
        } catch (const Failure& failure) {
            render.obstacle = failure.error().message;
        }
    } else if (noted > 0) {
        render.obstacle = file.string() + " is missing, with the " + std::to_string(noted) + " of " +
                          std::to_string(render.left.steps) + " steps that were kept";
    }
}

/// What a result's folder says of its render, held to what is there; nothing where no note can be read.
std::optional<InterruptedRender> readInterrupted(const fs::path& folder, const fs::path& comparison) {
    auto left = readUnfinished(folder);
    if (!left || !*left) return std::nullopt;
    InterruptedRender render{comparison, folder, **std::move(left)};
    render.clip.replace_extension(fs::path(render.left.request.output).extension());
    render.left.request.output = render.clip.string();
    protocol::forgetFilesToWrite(render.left.request);
    holdToState(render, folder / protocol::kResumeFile);
    return render;
}

std::optional<InterruptedRender> interruptedOf(const fs::path& folder, const fs::path& comparison) {
    std::error_code failed;
    if (folder != protocol::resultFolderOf(folder) || !fs::exists(folder / protocol::kUnfinishedFile, failed))
        return std::nullopt;
    if (WriterLock::isHeld(folder)) return std::nullopt;
    return readInterrupted(folder, comparison);
}

void addFrom(const fs::path& folder, const fs::path& comparison, std::vector<InterruptedRender>& found) {
    const auto entries = entriesOf(folder);
    if (!entries) return;
    for (const fs::directory_entry& entry : *entries)
        if (auto render = interruptedOf(entry.path(), comparison)) found.push_back(*std::move(render));
}

}  // namespace

std::optional<InterruptedRender> interruptedRender(const fs::path& clip) {
    return readInterrupted(protocol::resultFolderOf(clip), clip.parent_path());
}

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
