#include "core/hub/repository.h"

#include <algorithm>
#include <regex>
#include <string_view>

#include "core/base/folder.h"
#include "core/base/one_line.h"
#include "core/base/pending_file.h"

namespace reelgrid::hub {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "models--";

std::string folderNameOf(const std::string& id) {
    std::string name = kPrefix + id;
    return name.replace(name.find('/'), 1, "--");
}

}  // namespace

bool isHubId(const std::string& text) {
    static const std::regex hubId("[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*");
    // What is called so is a file, be it there or not.
    for (const char* ending : {".pth", ".pt", ".ckpt", ".safetensors"})
        if (text.ends_with(ending)) return false;
    return text.size() <= 200 && text.find("--") == std::string::npos && std::regex_match(text, hubId);
}

Result<void> checkRevision(const std::string& revision) {
    constexpr std::size_t kMostBytes = 250;
    // git check-ref-format, rule by rule: what no part between slashes may be, then what stands nowhere.
    bool fits = !revision.empty() && revision.size() <= kMostBytes && revision != "@" &&
                !revision.ends_with('.') && revision.find("..") == std::string::npos &&
                revision.find("@{") == std::string::npos;
    for (std::size_t begin = 0; fits && begin <= revision.size();) {
        const std::string part = revision.substr(begin, revision.find('/', begin) - begin);
        fits = !part.empty() && !part.starts_with('.') && !part.ends_with(".lock");
        begin += part.size() + 1;
    }
    fits = fits && std::ranges::none_of(revision, [](unsigned char letter) {
               return letter <= ' ' || letter == 0x7f ||
                      std::string_view("~^:?*[\\").find(static_cast<char>(letter)) != std::string_view::npos;
           });
    if (fits) return {};
    return Error{ErrorCode::BadUsage, "--revision " + (revision.empty() ? "\"\"" : nameInOneLine(revision)) +
                                          ": a branch, tag or commit was needed, as git names them"};
}

std::optional<PartId> partIdFrom(const std::string& text) {
    const auto owner = text.find('/'), name = owner == text.npos ? owner : text.find('/', owner + 1);
    const PartId part{text.substr(0, name), name == text.npos ? "" : text.substr(name + 1)};
    const fs::path file(part.file);
    const bool staysInside = file.is_relative() && std::ranges::find(file, fs::path("..")) == file.end();
    if (!isHubId(part.id) || !staysInside || (name != text.npos && !file.has_filename())) return std::nullopt;
    return part;
}

Repository::Repository(const fs::path& cache, const std::string& id)
    : m_folder(cache / folderNameOf(id)), m_locks(cache / ".locks" / folderNameOf(id)) {}

fs::path Repository::blob(const std::string& hash) const {
    return m_folder / "blobs" / hash;
}
fs::path Repository::lockOf(const std::string& hash) const {
    return m_locks / (hash + ".lock");
}
fs::path Repository::snapshot(const std::string& commit) const {
    return m_folder / "snapshots" / commit;
}

fs::path Repository::presentSnapshot() const {
    std::error_code failed;
    if (auto commit = readFile(m_folder / "refs" / "main", 100)) {
        while (!commit->empty() && std::isspace(static_cast<unsigned char>(commit->back())) != 0)
            commit->pop_back();
        const bool plain = std::all_of(commit->begin(), commit->end(),
                                       [](unsigned char letter) { return std::isalnum(letter) != 0; });
        if (plain && !commit->empty() && fs::is_directory(snapshot(*commit), failed))
            return snapshot(*commit);
    }
    if (const auto snapshots = entriesOf(m_folder / "snapshots"))
        for (const auto& entry : *snapshots)
            if (entry.is_directory(failed)) return entry.path();
    return {};
}

fs::path Repository::presentPart(const std::string& file) const {
    const fs::path snapshot = presentSnapshot();
    if (snapshot.empty()) return {};
    std::error_code failed;
    if (!file.empty()) return fs::is_regular_file(snapshot / file, failed) ? snapshot / file : fs::path();
    return fs::exists(snapshot / "config.json", failed) ? snapshot : fs::path();
}

Result<void> Repository::requireReadable() const {
    const auto snapshots = entriesOf(m_folder / "snapshots");
    if (snapshots || snapshots.error().code == ErrorCode::NotFound) return {};
    return snapshots.error();
}

Result<void> Repository::link(const std::string& commit, const std::string& file,
                              const std::string& hash) const {
    const fs::path place = snapshot(commit) / file;
    std::error_code failed;
    fs::create_directories(place.parent_path(), failed);
    const fs::path target = blob(hash).lexically_relative(place.parent_path());
    if (fs::is_symlink(place, failed) && fs::read_symlink(place, failed) == target) return {};
    fs::remove(place, failed);
    fs::create_symlink(target, place, failed);
    if (failed) fs::create_hard_link(blob(hash), place, failed);  // a file system without symbolic links
    if (failed) return Error{ErrorCode::Io, place.string() + ": can't be linked: " + failed.message()};
    return {};
}

Result<void> Repository::setRevision(const std::string& revision, const std::string& commit) const {
    if (auto named = checkRevision(revision); !named) return named;
    return writeFile(m_folder / "refs" / revision, commit);
}

Result<std::vector<std::string>> cachedIds(const fs::path& cache) {
    std::vector<std::string> ids;
    const auto repositories = entriesOf(cache);
    if (!repositories)
        return repositories.error().code == ErrorCode::NotFound ? Result(ids) : repositories.error();
    for (const auto& entry : *repositories) {
        std::string name = entry.path().filename().string();
        if (!name.starts_with(kPrefix)) continue;
        name.erase(0, std::string(kPrefix).size());
        if (const auto dashes = name.find("--"); dashes != std::string::npos)
            ids.push_back(name.replace(dashes, 2, "/"));
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

}  // namespace reelgrid::hub
