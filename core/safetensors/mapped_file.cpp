#include "core/safetensors/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/link_check.h"
#include "core/base/result.h"

namespace reelgrid::safetensors {
namespace {

struct Descriptor {
    int value;
    ~Descriptor() {
        if (value >= 0) ::close(value);
    }
};

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::open(const std::filesystem::path& path) {
    // O_NONBLOCK: a FIFO under a checkpoint's name must not hang the load.
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.value < 0) {
        const int why = errno;
        if (auto fault = faultOfLink(path)) throw Failure(*std::move(fault));
        throw Failure(why == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                      path.string() + ": " + std::strerror(why));
    }
    struct stat status {};
    if (::fstat(file.value, &status) != 0 || !S_ISREG(status.st_mode))
        throw Failure(ErrorCode::InvalidData, path.string() + ": not a regular file");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0) throw Failure(ErrorCode::InvalidData, path.string() + ": the file is empty");
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.value, 0);
    if (data == MAP_FAILED)
        throw Failure(ErrorCode::Io, path.string() + ": can't be mapped: " + std::strerror(errno));
    return std::shared_ptr<const MappedFile>(new MappedFile(static_cast<const char*>(data), size, path));
}

MappedFile::~MappedFile() {
    m_region.reset();
    ::munmap(const_cast<char*>(m_data), m_size);
}

void MappedFile::release(std::size_t begin, std::size_t size) const {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t first = (begin + page - 1) / page * page;
    const std::size_t last = (begin + size) / page * page;
    if (first < last) ::madvise(const_cast<char*>(m_data) + first, last - first, MADV_DONTNEED);
}

}  // namespace reelgrid::safetensors
