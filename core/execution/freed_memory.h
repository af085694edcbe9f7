#pragma once

namespace reelgrid::execution {

/// Gives what the C library's allocator keeps of freed memory back to the system: between stages, whose
/// buffers have different sizes, so that the next one's don't come on top. Nothing where it can't be asked.
void giveBackFreedMemory();

}  // namespace reelgrid::execution
