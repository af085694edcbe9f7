#include "core/result/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

namespace reelgrid::result {
namespace {

namespace fs = std::filesystem;

fs::path lockFileOf(const fs::path& target) {
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    return folder / fs::path(".").concat(target.filename().string()).concat(".lock");
}

/// Whether `file` still names what the descriptor has open: its last holder may have removed it meanwhile.
bool isNamed(const fs::path& file, int descriptor) {
    struct stat named {};
    struct stat opened {};
    return stat(file.c_str(), &named) == 0 && fstat(descriptor, &opened) == 0 &&
           named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

void writeHolder(int descriptor) {
    const std::string process = std::to_string(getpid());
    // Only for the message that others give: the lock holds without it.
    [[maybe_unused]] const bool written =
        ftruncate(descriptor, 0) == 0 && pwrite(descriptor, process.data(), process.size(), 0) >= 0;
}

std::string holderOf(int descriptor) {
    std::array<char, 32> text{};
    const ssize_t count = pread(descriptor, text.data(), text.size(), 0);
    const std::string process(text.data(), count > 0 ? std::size_t(count) : 0);
    const bool number = !process.empty() && process.find_first_not_of("0123456789") == std::string::npos;
    return number ? "process " + process : "another process";
}

}  // namespace

WriterLock::WriterLock(fs::path file, int descriptor) : m_file(std::move(file)), m_descriptor(descriptor) {}

WriterLock::WriterLock(WriterLock&& other) noexcept
    : m_file(std::move(other.m_file)), m_descriptor(std::exchange(other.m_descriptor, -1)) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
    if (this != &other) {
        release();
        m_file = std::move(other.m_file);
        m_descriptor = std::exchange(other.m_descriptor, -1);
    }
    return *this;
}

WriterLock::~WriterLock() {
    release();
}

void WriterLock::release() noexcept {
    if (m_descriptor < 0) return;
    // Removed while it is still locked: who waits for it finds that it is gone and makes a new one.
    unlink(m_file.c_str());
    close(m_descriptor);
    m_descriptor = -1;
}

bool WriterLock::isHeld(const fs::path& target) {
    const int descriptor = open(lockFileOf(target).c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool held = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    close(descriptor);
    return held;
}

Result<WriterLock> WriterLock::acquire(const fs::path& target, std::chrono::milliseconds patience) {
    constexpr auto kPause = std::chrono::milliseconds(20);
    const fs::path file = lockFileOf(target), folder = file.parent_path();
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) return Error{ErrorCode::Io, "can't make folder " + folder.string() + ": " + failed.message()};
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (true) {
        const int descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
        if (descriptor < 0)
            return Error{ErrorCode::Io, "can't write " + target.string() + ": " + std::strerror(errno)};
        WriterLock lock(file, descriptor);
        const bool held = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!held && isNamed(file, descriptor)) {
            writeHolder(descriptor);
            return lock;
        }
        const std::string holder = holderOf(descriptor);
        close(std::exchange(lock.m_descriptor, -1));  // not released: the file is another's
        if (!held) continue;
        if (std::chrono::steady_clock::now() >= deadline)
            return Error{ErrorCode::Io, target.string() + " is being written by " + holder +
                                            ": another name, or its end, was needed"};
        std::this_thread::sleep_for(kPause);
    }
}

}  // namespace reelgrid::result
