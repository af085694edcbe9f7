#include "core/base/pending_file.h"

#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "core/base/pending_name.h"

namespace reelgrid {
namespace {

namespace fs = std::filesystem;

std::string systemError() {
    return std::strerror(errno);
}

/// Takes the lock that says "this file is being written"; errno says why not.
bool tryLock(std::FILE* file) {
    return flock(fileno(file), LOCK_EX | LOCK_NB) == 0;
}

/// Removes what processes that no longer run left for `finalPath`. Locks tell, not process numbers: another
/// container's numbers mean nothing here.
void removeAbandoned(const fs::path& folder, const fs::path& finalPath) {
    const std::string start = pendingNameStart(finalPath);
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(start) || processOfPendingName(name) == 0) continue;
        const FileHandle file(std::fopen(entry->path().c_str(), "r+be"));
        std::error_code ignored;
        if (file && tryLock(file.get())) fs::remove(entry->path(), ignored);
    }
}

}  // namespace

PendingFile::PendingFile(fs::path temporary, fs::path final, FileHandle lock)
    : m_temporary(std::move(temporary)), m_final(std::move(final)), m_lock(std::move(lock)) {}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : m_temporary(std::exchange(other.m_temporary, {})),
      m_final(std::exchange(other.m_final, {})),
      m_lock(std::move(other.m_lock)) {}

PendingFile& PendingFile::operator=(PendingFile&& other) noexcept {
    if (this != &other) {
        discard();
        m_temporary = std::exchange(other.m_temporary, {});
        m_final = std::exchange(other.m_final, {});
        m_lock = std::move(other.m_lock);
    }
    return *this;
}

PendingFile::~PendingFile() {
    discard();
}

void PendingFile::discard() noexcept {
    if (m_temporary.empty()) return;
    std::error_code ignored;
    fs::remove(m_temporary, ignored);
}

Result<PendingFile> PendingFile::create(const fs::path& finalPath) {
    static std::atomic<unsigned> counter{0};
    const fs::path folder = finalPath.has_parent_path() ? finalPath.parent_path() : fs::path(".");
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) return Error{ErrorCode::Io, "can't make folder " + folder.string() + ": " + failed.message()};
    if (fs::is_directory(finalPath, failed))
        return Error{ErrorCode::Io,
                     "can't write " + finalPath.string() + ": it is a folder, a file name was needed"};

    removeAbandoned(folder, finalPath);
    while (true) {
        fs::path temporary = finalPath.parent_path() / pendingName(finalPath, getpid(), counter++);
        FileHandle file(std::fopen(temporary.c_str(), "wbe"));
        if (!file) return Error{ErrorCode::Io, "can't write " + finalPath.string() + ": " + systemError()};
        // Another process may have found the file before it was locked, and be removing it: take the next
        // name. Where a file system knows no locks the file is simply never taken for abandoned.
        const bool taken = !tryLock(file.get()) && errno == EWOULDBLOCK;
        struct stat found {};
        const bool removed = fstat(fileno(file.get()), &found) == 0 && found.st_nlink == 0;
        if (!taken && !removed) return PendingFile(std::move(temporary), finalPath, std::move(file));
    }
}

Result<void> PendingFile::commit() {
    std::error_code failed;
    fs::rename(m_temporary, m_final, failed);
    if (failed)
        return Error{ErrorCode::Io, "can't rename " + m_temporary.string() + " to " + m_final.string() +
                                        ": " + failed.message()};
    m_temporary.clear();
    m_lock.reset();
    return {};
}

Result<void> writeFile(const fs::path& path, std::string_view bytes) {
    auto pending = PendingFile::create(path);
    if (!pending) return pending.error();
    std::FILE* file = std::fopen(pending->path().c_str(), "wb");
    if (file == nullptr) return Error{ErrorCode::Io, "can't write " + path.string() + ": " + systemError()};
    const bool written =
        std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0;
    const std::string why = written ? "" : systemError();
    if (std::fclose(file) != 0 || !written)
        return Error{ErrorCode::Io, "can't write " + std::to_string(bytes.size()) + " bytes to " +
                                        path.string() + ": " + (why.empty() ? systemError() : why)};
    return pending->commit();
}

Result<std::string> readFile(const fs::path& path, std::size_t maxBytes) {
    const auto opened = openRegularFile(path, maxBytes);
    if (!opened) return opened.error();
    std::string bytes(opened->bytes, '\0');
    if (std::fread(bytes.data(), 1, bytes.size(), opened->file.get()) != bytes.size())
        return Error{ErrorCode::Io, "can't read " + path.string() + ": it ended early"};
    return bytes;
}

}  // namespace reelgrid
