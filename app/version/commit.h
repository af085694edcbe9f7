#pragma once

namespace reelgrid {

/// The commit that this program was built from, as `git describe --always --dirty` names it; empty where the
/// sources came without git.
const char* commit();

}  // namespace reelgrid
