#include "core/plugins/plugin_search.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>

#include "core/base/folder.h"
#include "core/base/pending_file.h"

namespace reelgrid::plugins {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// Whether a file in Python is a kernel: modules of its own may lie beside one.
bool hasAttend(const fs::path& file) {
    constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    const auto text = readFile(file, kMostBytes);
    return text && ("\n" + *text).find("\ndef attend(") != std::string::npos;
}

/// One file a backend, each once.
class Collected {
  public:
    void add(const fs::path& path, Found found) {
        std::error_code failed;
        fs::path whole = fs::canonical(path, failed);
        if (failed) whole = fs::absolute(path);  // opening it says what is wrong
        for (const PluginFile& file : files)
            if (file.path == whole) return;
        files.push_back({std::move(whole), found});
    }

    void addFolder(const fs::path& folder) {
        constexpr std::size_t kMost = 256;
        const auto entries = entriesOf(folder);
        if (!entries) {
            if (entries.error().code != ErrorCode::NotFound) notes.push_back(entries.error().message);
            return;
        }
        std::vector<fs::path> found;
        for (const fs::directory_entry& entry : *entries) {
            const fs::path extension = entry.path().extension();
            const bool isPlugin =
                extension == ".so" || extension == ".json" || (extension == ".py" && hasAttend(entry.path()));
            if (isPlugin && found.size() < kMost) found.push_back(entry);
        }
        std::sort(found.begin(), found.end());
        for (const fs::path& path : found) add(path, Found::InFolder);
    }

    std::vector<PluginFile> files;
    std::vector<std::string> notes;
};

}  // namespace

fs::path userPluginFolder() {
    const std::string data = variable("XDG_DATA_HOME"), home = variable("HOME");
    if (!data.empty()) return fs::path(data) / "reelgrid" / "backends";
    if (home.empty()) return {};
    return fs::path(home) / ".local" / "share" / "reelgrid" / "backends";
}

std::vector<PluginFile> pluginFiles(const std::vector<std::string>& given, std::vector<std::string>& notes) {
    Collected collected;
    for (const std::string& file : given) collected.add(file, Found::Given);
    const std::string path = variable("REELGRID_BACKEND_PATH");
    for (std::size_t start = 0; start < path.size();) {
        const std::size_t end = std::min(path.find(':', start), path.size());
        const fs::path part = path.substr(start, end - start);
        std::error_code failed;
        if (fs::is_directory(part, failed))
            collected.addFolder(part);
        else if (!part.empty())
            collected.add(part, Found::InFolder);
        start = end + 1;
    }
    if (const fs::path own = userPluginFolder(); !own.empty()) collected.addFolder(own);
    std::ranges::move(collected.notes, std::back_inserter(notes));
    return collected.files;
}

}  // namespace reelgrid::plugins
