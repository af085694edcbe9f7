#include "core/base/pending_file.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace reelgrid {
namespace {

namespace fs = std::filesystem;

std::string systemError() {
    return std::strerror(errno);
}

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using FileHandle = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace

PendingFile::PendingFile(fs::path temporary, fs::path final)
    : m_temporary(std::move(temporary)), m_final(std::move(final)) {}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : m_temporary(std::exchange(other.m_temporary, {})), m_final(std::exchange(other.m_final, {})) {}

PendingFile& PendingFile::operator=(PendingFile&& other) noexcept {
    if (this != &other) {
        discard();
        m_temporary = std::exchange(other.m_temporary, {});
        m_final = std::exchange(other.m_final, {});
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

    const std::string tag = ".partial-" + std::to_string(getpid()) + "-" + std::to_string(counter++);
    fs::path temporary = finalPath;
    temporary += tag + finalPath.extension().string();
    const FileHandle probe(std::fopen(temporary.c_str(), "wb"));
    if (!probe) return Error{ErrorCode::Io, "can't write " + finalPath.string() + ": " + systemError()};
    return PendingFile(std::move(temporary), finalPath);
}

Result<void> PendingFile::commit() {
    std::error_code failed;
    fs::rename(m_temporary, m_final, failed);
    if (failed)
        return Error{ErrorCode::Io, "can't rename " + m_temporary.string() + " to " + m_final.string() +
                                        ": " + failed.message()};
    m_temporary.clear();
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
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (failed || !fs::exists(status)) return Error{ErrorCode::NotFound, path.string() + ": no such file"};
    if (!fs::is_regular_file(status))
        return Error{ErrorCode::InvalidData, path.string() + ": not a regular file"};
    const auto size = fs::file_size(path, failed);
    if (failed) return Error{ErrorCode::Io, "can't read " + path.string() + ": " + failed.message()};
    if (size > maxBytes)
        return Error{ErrorCode::InvalidData, path.string() + " has " + std::to_string(size) +
                                                 " bytes, at most " + std::to_string(maxBytes) +
                                                 " were expected"};
    const FileHandle file(std::fopen(path.c_str(), "rb"));
    if (!file) return Error{ErrorCode::Io, "can't read " + path.string() + ": " + systemError()};
    std::string bytes(size, '\0');
    if (std::fread(bytes.data(), 1, size, file.get()) != size)
        return Error{ErrorCode::Io, "can't read " + path.string() + ": it ended early"};
    return bytes;
}

}  // namespace reelgrid
