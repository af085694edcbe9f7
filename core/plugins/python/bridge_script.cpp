#include "core/plugins/python/bridge_script.h"

#include "core/base/resources.h"

namespace reelgrid::plugins {

Result<std::filesystem::path> bridgeScript() {
    std::filesystem::path file = resourceFolder() / "backends" / "python" / "reelgrid_bridge.py";
    std::error_code failed;
    if (std::filesystem::is_regular_file(file, failed)) return file;
    return Error{ErrorCode::NotFound, file.string() + ": ReelGrid's bridge to Python isn't there"};
}

}  // namespace reelgrid::plugins
