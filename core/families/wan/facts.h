#pragma once

#include "core/families/family.h"

namespace reelgrid::families::wan {

/// Wan 2.1 and 2.2, in diffusers' layout and in the forms that its authors and ComfyUI publish.
Family family();

}  // namespace reelgrid::families::wan
