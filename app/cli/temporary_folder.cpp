#include "app/cli/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/result.h"

namespace reelgrid::cli {

TemporaryFolder::TemporaryFolder(const std::string& name) {
    std::error_code failed;
    std::string pattern = (std::filesystem::temp_directory_path(failed) / (name + "-XXXXXX")).string();
    if (failed) throw Failure(ErrorCode::Io, "the folder of temporary files: " + failed.message());
    if (mkdtemp(pattern.data()) == nullptr)
        throw Failure(ErrorCode::Io, pattern + ": can't be made: " + std::strerror(errno));
    m_path = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code failed;
    std::filesystem::remove_all(m_path, failed);
}

}  // namespace reelgrid::cli
