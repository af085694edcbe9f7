#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/result/manifest.h"
#include "core/result/timing.h"

namespace reelgrid::result {

/// What an interrupted render left of itself beside its latents: how many of its steps are done, the manifest
/// as far as it is known, its calls by branch, and the times of the steps. It is JSON in a tensor of bytes of
/// resume.safetensors, so that it changes with the latents or not at all.
struct ResumeStory {
    int done = 0;
    int steps = 0;  ///< of how many; 0 in files of versions that didn't note it
    Manifest manifest;
    Timing timing;
};
/// The tensor.
inline constexpr const char* kResumeStory = "story";
std::string textOf(const ResumeStory& story);

/// Of a whole resume.safetensors, called `path`. Throws Failure(InvalidData) naming what is wrong with it;
/// whether the tensors were changed since they were written is for requireUnchanged() to say.
ResumeStory resumeStoryIn(std::string_view file, const std::string& path);

/// Throws Failure(InvalidData) naming the file where more steps are done than the render has.
void requireStepsWithin(const std::string& file, int done, int steps);

/// The one that a render of this clip with --resume reads; nothing where none was left. InvalidData where the
/// file can't be understood.
Result<std::optional<ResumeStory>> readResumeStory(const std::filesystem::path& clip);

}  // namespace reelgrid::result
