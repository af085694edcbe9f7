#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/families/model_source.h"
#include "core/protocol/render_request.h"

namespace reelgrid::catalog {

/// A further source of a model that a request names (protocol::RenderField::isModelPart).
struct NamedPart {
    std::string component;  ///< of the model
    std::string option;     ///< "--motion-adapter"
    std::string source;     ///< a file, a folder, or of the hub OWNER/NAME or OWNER/NAME/FILE
};

std::vector<NamedPart> namedParts(const protocol::RenderRequest& request);

/// Where it is, on the disk or in the Hugging Face cache. NotFound naming the option and its value.
Result<families::ModelPart> findPart(const NamedPart& part);

}  // namespace reelgrid::catalog
