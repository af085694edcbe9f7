#include "core/execution/freed_memory.h"

#include <cstdlib>  // says whether this is glibc

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace reelgrid::execution {

void keepFreedMemory() {
#ifdef __GLIBC__
    constexpr int kMegabyte = 1 << 20;
    mallopt(M_MMAP_THRESHOLD, 64 * kMegabyte);
    mallopt(M_TRIM_THRESHOLD, 256 * kMegabyte);
#endif
}

void giveBackFreedMemory() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace reelgrid::execution
