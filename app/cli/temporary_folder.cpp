#include "app/cli/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/folder.h"
#include "core/base/result.h"

namespace reelgrid::cli {

TemporaryFolder::TemporaryFolder(const std::string& name) {
    std::string pattern = (folderOfTemporaryFiles().value() / (name + "-XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr)
        throw Failure(ErrorCode::Io, pattern + ": can't be made: " + std::strerror(errno));
    m_path = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code failed;
    std::filesystem::remove_all(m_path, failed);
}

}  // namespace reelgrid::cli
