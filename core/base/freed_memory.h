#pragma once

namespace reelgrid {

/// Gives what the C library's allocator keeps of freed memory back to the system: between a render's stages,
/// whose buffers have different sizes, so that the next one's don't come on top, and in a window whose
/// renders have ended. Nothing where it can't be asked.
void giveBackFreedMemory();

}  // namespace reelgrid
