#pragma once

#include <string>

#include "core/protocol/render_fields.h"

namespace reelgrid::families {

/// What the command line says of a field: the field's own help, and in parentheses what the families add.
std::string helpOf(const protocol::RenderField& field);

}  // namespace reelgrid::families
