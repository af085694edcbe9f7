#include "core/protocol/result_paths.h"

namespace reelgrid::protocol {

std::filesystem::path resultFolderOf(const std::filesystem::path& clip) {
    std::filesystem::path folder = clip;
    folder.replace_extension(".files");
    return folder;
}

}  // namespace reelgrid::protocol
