#include "core/base/folder.h"

namespace reelgrid {

namespace fs = std::filesystem;

Result<std::vector<fs::directory_entry>> entriesOf(const fs::path& folder) {
    std::vector<fs::directory_entry> entries;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
        entries.push_back(*entry);
    if (failed)
        return Error{failed == std::errc::no_such_file_or_directory ? ErrorCode::NotFound : ErrorCode::Io,
                     folder.string() + ": " + failed.message()};
    return entries;
}

}  // namespace reelgrid
