#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/protocol/render_request.h"

namespace reelgrid::pipeline {

/// The one place where what a render throws becomes an Error: `render`() or what it failed with.
Result<std::string> renderOrError(const protocol::RenderRequest& request,
                                  const std::function<std::string()>& render);

}  // namespace reelgrid::pipeline
