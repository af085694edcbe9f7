#pragma once

#include "app/cli/checked_request.h"
#include "core/base/result.h"

namespace reelgrid::cli {

/// CheckedRequest::create() of the request with what its recipe says where the request says nothing; without
/// a recipe as it is. A recipe's LoRAs are found, or downloaded. Faults of a recipe's values are told as the
/// recipe's.
Result<CheckedRequest> checkWithRecipe(const protocol::RenderRequest& request,
                                       const families::ModelInfo& model, const machine::Machine& machine);

}  // namespace reelgrid::cli
