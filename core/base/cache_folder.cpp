#include "core/base/cache_folder.h"

#include <cstdlib>

namespace reelgrid {

std::filesystem::path cacheFolder() {
    const char *cache = std::getenv("REELGRID_CACHE"), *home = std::getenv("HOME");
    if (cache != nullptr && *cache != '\0') return cache;
    if (home == nullptr || *home == '\0') return {};
    return std::filesystem::path(home) / ".cache" / "reelgrid";
}

}  // namespace reelgrid
