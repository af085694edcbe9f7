#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/catalog/render_settings.h"
#include "core/protocol/render_request.h"

namespace reelgrid::result {

/// What a render's folder says of it until its clip is whole, for whoever finds it after the process was
/// killed: unfinished.json.
struct UnfinishedRender {
    int stepsKept = 0;  ///< denoising steps that --resume doesn't make again
    int steps = 0;
    protocol::RenderRequest request;
};

/// Replaces what the file said, at once.
Result<void> writeUnfinished(const std::filesystem::path& clip, const UnfinishedRender& render);
/// Nothing where no render is unfinished; InvalidData where the file can't be understood.
Result<std::optional<UnfinishedRender>> readUnfinished(const std::filesystem::path& clip);
/// Removes it with the latents, which a whole clip has no use for.
void removeUnfinished(const std::filesystem::path& clip);
/// Removes it where no step was kept.
void removeUnfinishedWithoutSteps(const std::filesystem::path& clip);

/// Why this render is always made in one go, as the option that keeps it: "--save-inputs"; empty: it keeps
/// steps that it can be taken up from.
std::string obstacleToResuming(const catalog::RenderSettings& settings);

/// The command line that takes the render up again; a policy's file is left for a person to name.
std::string resumeCommand(const protocol::RenderRequest& request);

}  // namespace reelgrid::result
