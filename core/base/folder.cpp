#include "core/base/folder.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>

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

std::string nameOfLookedAt(const fs::path& folder) {
    const auto entries = entriesOf(folder);
    return entries || entries.error().code == ErrorCode::NotFound ? folder.string() : entries.error().message;
}

std::vector<fs::path> foldersNewestFirst(const fs::path& folder) {
    const auto entries = entriesOf(folder);
    if (!entries) return {};
    std::vector<std::pair<fs::file_time_type, fs::path>> dated;
    std::error_code failed;
    for (const fs::directory_entry& entry : *entries)
        if (entry.is_directory(failed)) dated.emplace_back(entry.last_write_time(failed), entry.path());
    std::ranges::sort(dated, std::greater());
    std::vector<fs::path> folders;
    for (auto& [when, path] : dated) folders.push_back(std::move(path));
    return folders;
}

Result<fs::path> folderOfTemporaryFiles() {
    std::error_code failed;
    fs::path folder = fs::temp_directory_path(failed);
    if (!failed) return folder;
    std::string named = "/tmp";
    for (const char* variable : {"TEMPDIR", "TEMP", "TMP", "TMPDIR"})  // the last one counts most
        if (const char* value = std::getenv(variable)) named = std::string(variable) + "=" + value;
    return Error{ErrorCode::Io, "the folder of temporary files, " + named + ": " + failed.message()};
}

}  // namespace reelgrid
