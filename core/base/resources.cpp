#include "core/base/resources.h"

#include <cstdlib>

namespace reelgrid {

namespace fs = std::filesystem;

fs::path executableFolder() {
    std::error_code failed;
    const fs::path self = fs::read_symlink("/proc/self/exe", failed);
    return failed ? fs::path() : self.parent_path();
}

fs::path resourceFolder() {
    if (const char* chosen = std::getenv("REELGRID_RESOURCES"); chosen != nullptr && *chosen != '\0')
        return chosen;
    std::error_code failed;
    const fs::path installed = executableFolder().parent_path() / "share" / "reelgrid";
    if (fs::is_directory(installed / "models", failed)) return installed;
    for (fs::path folder = executableFolder(); folder.has_relative_path(); folder = folder.parent_path())
        if (fs::is_directory(folder / "resources" / "models", failed)) return folder / "resources";
    return {};
}

}  // namespace reelgrid
