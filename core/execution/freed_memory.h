#pragma once

namespace reelgrid::execution {

/// Has the C library's allocator keep what is freed for what is allocated next, up to a stage's usual buffers
/// (64 MB each, 256 MB together): left to itself it gives them back to the system, which then clears each
/// page again: a tenth of the demo's decode. Called before anything is rendered; giveBackFreedMemory() still
/// gives all of it back. The process's, as the allocator is. Nothing where it can't be asked.
void keepFreedMemory();

/// Gives what the C library's allocator keeps of freed memory back to the system: between stages, whose
/// buffers have different sizes, so that the next one's don't come on top. Nothing where it can't be asked.
void giveBackFreedMemory();

}  // namespace reelgrid::execution
