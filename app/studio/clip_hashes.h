#pragma once

#include "core/result/component_hash.h"

namespace reelgrid::studio {

/// Of clips, for all windows: each file is read once as long as nobody touches it. Any thread.
result::ComponentHasher& clipHasher();

}  // namespace reelgrid::studio
