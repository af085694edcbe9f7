#include "app/cli/resume_notes.h"

#include <optional>
#include <string>

#include "app/cli/console.h"
#include "core/protocol/result_paths.h"
#include "core/result/resume_story.h"

namespace reelgrid::cli {
namespace {

/// "10 of 50 steps", of the file that a render with --resume reads; empty where there is none, or where it
/// can't be understood, which that render says.
std::string keptSteps(const Result<std::optional<result::ResumeStory>>& kept) {
    if (!kept || !*kept) return {};
    const result::ResumeStory& story = **kept;
    return std::to_string(story.done) + (story.steps > 0 ? " of " + std::to_string(story.steps) : "") +
           " steps";
}

}  // namespace

void sayWhatWasKept(const protocol::RenderRequest& request) {
    const std::string folder = protocol::resultFolderOf(request.output).string();
    const auto left = result::readResumeStory(request.output);
    const std::string kept = keptSteps(left);
    if (request.resume && left && !*left)
        say("note: --resume: " + folder + " has no steps of an interrupted render: it begins anew");
    else if (!request.resume && !kept.empty())
        say("note: " + folder + " has " + kept +
            " of a render that was interrupted: --resume would go on from them, this one begins anew");
}

void sayWhereItWentOn(const result::Manifest& manifest) {
    if (manifest.resumedAt.empty()) return;
    const int done = manifest.resumedAt.back();
    say("note: went on after " + std::to_string(done) + (done == 1 ? " step" : " steps"));
}

void sayWhatIsKept(const std::filesystem::path& clip, const Error& error) {
    if (error.code == ErrorCode::InvalidData) return;  // what is kept there is of no use for this render
    if (const std::string kept = keptSteps(result::readResumeStory(clip)); !kept.empty())
        say("note: " + kept + " are kept: the same command with --resume goes on from them");
}

}  // namespace reelgrid::cli
