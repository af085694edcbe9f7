#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/protocol/render_request.h"
#include "core/result/manifest.h"

namespace reelgrid::cli {

// Lines on stderr.

/// Before a render: what an interrupted one left where it will be, and what becomes of it.
void sayWhatWasKept(const protocol::RenderRequest& request);

/// After a render that was taken up: where.
void sayWhereItWentOn(const result::Manifest& manifest);

/// After a render that failed or was cancelled: which steps --resume would go on from, if any.
void sayWhatIsKept(const std::filesystem::path& clip, const Error& error);

}  // namespace reelgrid::cli
