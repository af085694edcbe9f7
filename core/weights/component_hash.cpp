#include "core/weights/component_hash.h"

#include <algorithm>

#include "core/base/sha256.h"

namespace reelgrid::weights {

namespace fs = std::filesystem;

Result<ComponentHash> ComponentHasher::hash(const fs::path& folder) {
    const std::lock_guard lock(m_mutex);
    std::error_code failed;
    std::vector<fs::path> paths;
    for (fs::directory_iterator file(folder, failed), end; !failed && file != end; file.increment(failed))
        if (file->is_regular_file(failed) && !file->path().filename().string().starts_with('.'))
            paths.push_back(file->path());
    if (failed)
        return Error{failed == std::errc::no_such_file_or_directory ? ErrorCode::NotFound : ErrorCode::Io,
                     folder.string() + ": " + failed.message()};
    std::sort(paths.begin(), paths.end());

    ComponentHash component;
    Sha256 whole;
    for (const fs::path& path : paths) {
        auto file = hashFile(path);
        if (!file) return file.error();
        const std::string line = file->sha256 + "  " + file->name + "\n";
        whole.add({reinterpret_cast<const std::uint8_t*>(line.data()), line.size()});
        component.files.push_back(*std::move(file));
    }
    component.sha256 = whole.finish();
    return component;
}

Result<FileHash> ComponentHasher::hashFile(const fs::path& path) {
    std::error_code failed;
    const std::uint64_t bytes = fs::file_size(path, failed);
    const auto modified = failed ? fs::file_time_type{} : fs::last_write_time(path, failed);
    if (failed) return Error{ErrorCode::Io, path.string() + ": " + failed.message()};
    Known& known = m_known[fs::absolute(path, failed)];
    if (known.sha256.empty() || known.bytes != bytes || known.modified != modified) {
        auto sha256 = sha256OfFile(path);
        if (!sha256) return sha256.error();
        known = {bytes, modified, *std::move(sha256)};
    }
    return FileHash{path.filename().string(), bytes, known.sha256};
}

}  // namespace reelgrid::weights
