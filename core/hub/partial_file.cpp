#include "core/hub/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace reelgrid::hub {

namespace fs = std::filesystem;

namespace {

constexpr int kMode = 0644;

Error cannot(const fs::path& path, const std::string& what) {
    return {ErrorCode::Io, path.string() + ": " + what + ": " + std::strerror(errno)};
}

}  // namespace

Result<PartialFile> PartialFile::open(const fs::path& path, const fs::path& lock) {
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    fs::create_directories(lock.parent_path(), ignored);
    const int held = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode);
    if (held < 0) return cannot(lock, "can't be made");
    if (::flock(held, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(held);
        return Error{ErrorCode::Io, path.string() + ": another process is downloading it"};
    }
    // Not blocking: a pipe under the name that nobody reads would never open.
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, kMode);
    if (file < 0) {
        const Error error = cannot(path, "can't be written");
        ::close(held);
        return error;
    }
    return PartialFile(path, file, held);
}

PartialFile::PartialFile(fs::path path, int file, int lock)
    : m_path(std::move(path)), m_file(file), m_lock(lock) {
    const off_t end = ::lseek(m_file, 0, SEEK_END);
    m_size = end < 0 ? 0 : static_cast<std::uint64_t>(end);
}

PartialFile::PartialFile(PartialFile&& other) noexcept
    : m_path(std::move(other.m_path)),
      m_file(std::exchange(other.m_file, -1)),
      m_lock(std::exchange(other.m_lock, -1)),
      m_size(other.m_size) {}

PartialFile::~PartialFile() {
    if (m_file >= 0) ::close(m_file);
    if (m_lock >= 0) ::close(m_lock);
}

Error PartialFile::failed(const std::string& what) const {
    return cannot(m_path, what);
}

Result<void> PartialFile::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_file, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return failed("can't be written");
        bytes.remove_prefix(static_cast<std::size_t>(written));
        m_size += static_cast<std::uint64_t>(written);
    }
    return {};
}

Result<void> PartialFile::clear() {
    if (::ftruncate(m_file, 0) != 0) return failed("can't be emptied");
    m_size = 0;
    return {};
}

Result<void> PartialFile::becomes(const fs::path& final) {
    if (::fsync(m_file) != 0) return failed("can't be written");
    if (::rename(m_path.c_str(), final.c_str()) != 0) return failed("can't be renamed");
    return {};
}

}  // namespace reelgrid::hub
