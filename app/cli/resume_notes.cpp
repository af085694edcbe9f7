#include "app/cli/resume_notes.h"

#include "app/cli/console.h"
#include "core/protocol/result_paths.h"
#include "core/result/unfinished_render.h"

namespace reelgrid::cli {
namespace {

/// "10 of 50 steps"; empty where none are kept.
std::string keptSteps(const std::filesystem::path& clip) {
    const auto left = result::readUnfinished(clip);
    if (!left || !*left || (*left)->stepsKept == 0) return {};
    return std::to_string((*left)->stepsKept) + " of " + std::to_string((*left)->steps) + " steps";
}

}  // namespace

void sayWhatWasKept(const protocol::RenderRequest& request) {
    const std::string folder = protocol::resultFolderOf(request.output).string();
    const std::string kept = keptSteps(request.output);
    if (request.resume && kept.empty())
        say("note: --resume: " + folder + " has no steps of an interrupted render: it begins anew");
    else if (!request.resume && !kept.empty())
        say("note: " + folder + " has " + kept +
            " of a render that was interrupted: --resume would go on from them, this one begins anew");
}

void sayWhereItWentOn(const result::Manifest& manifest) {
    if (!manifest.resumedAt.empty() && manifest.settings)
        say("note: went on after " + std::to_string(manifest.resumedAt.back()) + " of " +
            std::to_string(manifest.settings->numInferenceSteps) + " steps");
}

void sayWhatIsKept(const std::filesystem::path& clip, const Error& error) {
    if (error.code == ErrorCode::InvalidData) return;  // what is kept there is of no use for this render
    if (const std::string kept = keptSteps(clip); !kept.empty())
        say("note: " + kept + " are kept: the same command with --resume goes on from them");
}

}  // namespace reelgrid::cli
