#pragma once

#include <string>

#include "core/protocol/render_fields.h"

namespace reelgrid::families {

/// A field's help on the command line: its own, with the families' notes in parentheses.
std::string helpOf(const protocol::RenderField& field);

}  // namespace reelgrid::families
