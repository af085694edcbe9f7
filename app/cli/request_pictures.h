#pragma once

#include "core/base/result.h"
#include "core/protocol/render_request.h"

namespace reelgrid::cli {

/// The pictures that a render begins and ends with must be files, not larger than pictures are. The error
/// names the option.
Result<void> requirePictures(const protocol::RenderRequest& request);

}  // namespace reelgrid::cli
