#include "core/plugins/python/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace reelgrid::plugins {
namespace {

constexpr std::size_t kPage = 4096;
/// What a block begins at a multiple of: huge pages fit, and libtorch wants 64 bytes.
constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// Memory that is freed is kept up to here: the next block needs no new pages.
constexpr std::size_t kMostKept = std::size_t{256} << 20;

std::size_t rounded(std::size_t bytes) {
    const std::size_t unit = bytes >= kHugePage ? kHugePage : kPage;
    return (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
}

Error unable(const std::string& what) {
    return {ErrorCode::Internal, "memory shared with Python: " + what + ": " + std::strerror(errno)};
}

Result<int> fileOf(std::size_t size) {
    const int file = memfd_create("reelgrid", MFD_CLOEXEC);
    if (file < 0) return unable("memfd_create");
    if (ftruncate(file, static_cast<off_t>(size)) == 0) return file;
    const Error error = unable("ftruncate");
    close(file);
    return error;
}

}  // namespace

Result<SharedMemory*> SharedMemory::ofProcess() {
    static std::mutex mutex;
    static SharedMemory* made = nullptr;
    const std::lock_guard lock(mutex);
    if (made != nullptr) return made;
    const long pages = sysconf(_SC_PHYS_PAGES);
    const std::size_t size =
        (static_cast<std::size_t>(std::max(pages, 1L)) * kPage + kHugePage - 1) / kHugePage * kHugePage;
    const auto file = fileOf(size);
    if (!file) return file.error();
    // Huge pages begin at multiples of their size in the file and in memory.
    void* reserved =
        mmap(nullptr, size + kHugePage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return unable("mmap");
    const auto address = (reinterpret_cast<std::uintptr_t>(reserved) + kHugePage - 1) / kHugePage * kHugePage;
    void* begin = mmap(reinterpret_cast<void*>(address), size, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_NORESERVE | MAP_FIXED, *file, 0);
    if (begin == MAP_FAILED) return unable("mmap");
    madvise(begin, size, MADV_HUGEPAGE);
    madvise(begin, size, MADV_DONTDUMP);
    made = new SharedMemory(*file, static_cast<std::byte*>(begin), size);
    return made;
}

SharedMemory::SharedMemory(int file, std::byte* begin, std::size_t size)
    : m_file(file), m_begin(begin), m_size(size), m_free{{0, size}} {}

void* SharedMemory::allocate(std::size_t bytes) {
    const std::size_t wanted = rounded(bytes);
    const std::lock_guard lock(m_mutex);
    const auto found =
        std::ranges::find_if(m_free, [wanted](const auto& range) { return range.second >= wanted; });
    if (found == m_free.end()) return nullptr;
    const auto [offset, room] = *found;
    m_free.erase(found);
    if (room > wanted) m_free.emplace(offset + wanted, room - wanted);
    m_used.emplace(offset, wanted);
    m_kept -= std::min(m_kept, wanted);
    return m_begin + offset;
}

void SharedMemory::free(void* block) {
    const std::uint64_t offset = static_cast<std::uint64_t>(static_cast<std::byte*>(block) - m_begin);
    const std::lock_guard lock(m_mutex);
    const auto used = m_used.find(offset);
    if (used == m_used.end()) return;
    std::uint64_t begin = offset;
    std::size_t bytes = used->second;
    m_used.erase(used);
    m_kept += bytes;
    if (m_kept > kMostKept) {
        giveBack(begin, bytes);
        m_kept -= bytes;
    }
    const auto next = m_free.lower_bound(begin);
    if (next != m_free.end() && next->first == begin + bytes) {
        bytes += next->second;
        m_free.erase(next);
    }
    auto before = m_free.lower_bound(begin);
    if (before != m_free.begin() && (--before)->first + before->second == begin) {
        begin = before->first;
        bytes += before->second;
        m_free.erase(before);
    }
    m_free.emplace(begin, bytes);
}

void SharedMemory::giveBack(std::uint64_t offset, std::size_t bytes) const {
    fallocate(m_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
              static_cast<off_t>(bytes));
}

std::optional<std::uint64_t> SharedMemory::offsetOf(const void* address, std::size_t bytes) const {
    const auto* begin = static_cast<const std::byte*>(address);
    if (begin < m_begin || begin + bytes > m_begin + m_size) return std::nullopt;
    return static_cast<std::uint64_t>(begin - m_begin);
}

}  // namespace reelgrid::plugins
