#pragma once

namespace reelgrid::execution {

/// Makes libtorch's allocations on the CPU fail with c10::OutOfMemoryError, as those on a GPU do, in place of
/// a plain c10::Error that only its text tells from others; and has pieces that are freed be used again for
/// others of their size, which glibc's posix_memalign doesn't. For the whole process, once; later calls do
/// nothing.
void giveCpuMemoryErrorsTheirType();

}  // namespace reelgrid::execution
