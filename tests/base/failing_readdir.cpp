#include "tests/base/failing_readdir.h"

#include <dirent.h>
#include <dlfcn.h>

#include <cerrno>
#include <limits>

namespace {

constexpr int kAll = std::numeric_limits<int>::max();
int entriesLeft = kAll;

template <class Entry>
Entry* read(DIR* folder, const char* name) {
    if (entriesLeft == 0) {
        errno = EIO;
        return nullptr;
    }
    if (entriesLeft != kAll) --entriesLeft;
    return reinterpret_cast<Entry* (*)(DIR*)>(dlsym(RTLD_NEXT, name))(folder);
}

}  // namespace

// In the place of the C library's, for std::filesystem too; which of the two that calls differs from system
// to system.
extern "C" dirent* readdir(DIR* folder) {
    return read<dirent>(folder, "readdir");
}
extern "C" dirent64* readdir64(DIR* folder) {
    return read<dirent64>(folder, "readdir64");
}

namespace reelgrid {

FailingReaddir::FailingReaddir(int entries) {
    entriesLeft = entries;
}
FailingReaddir::~FailingReaddir() {
    entriesLeft = kAll;
}

}  // namespace reelgrid
