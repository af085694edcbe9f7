#include "core/hub/expected_hash.h"

#include <algorithm>
#include <sstream>

#include "core/base/pending_file.h"
#include "core/hub/hash_text.h"

namespace reelgrid::hub {
namespace {

namespace fs = std::filesystem;

/// The second line of FOLDER/.cache/huggingface/download/SUBFOLDER/FILE.metadata, in one of the folders
/// above.
std::optional<std::string> hashOfLocalFolder(const fs::path& file) {
    constexpr int kMostLevels = 4;
    fs::path folder = file.parent_path();
    for (int level = 0; level < kMostLevels && folder.has_relative_path(); ++level) {
        const fs::path metadata = folder / ".cache" / "huggingface" / "download" /
                                  (file.lexically_relative(folder).string() + ".metadata");
        if (const auto text = readFile(metadata, 1 << 12)) {
            std::istringstream lines(*text);
            std::string commit, etag;
            if (std::getline(lines, commit) && std::getline(lines, etag) && isContentHash(etag)) return etag;
        }
        folder = folder.parent_path();
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> expectedHash(const fs::path& file) {
    std::error_code failed;
    if (fs::is_symlink(file, failed)) {
        const fs::path blob = fs::read_symlink(file, failed);
        const std::string name = blob.filename().string();
        if (blob.parent_path().filename() == "blobs" && isContentHash(name)) return name;
    }
    return hashOfLocalFolder(file);
}

}  // namespace reelgrid::hub
