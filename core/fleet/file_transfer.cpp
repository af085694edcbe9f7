#include "core/fleet/file_transfer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/opened_file.h"

namespace reelgrid::fleet {
namespace {

namespace fs = std::filesystem;

/// Small, so that a slow network takes a line in time and a cancellation doesn't wait.
constexpr std::size_t kPieceBytes = std::size_t{96} << 10;

Error changed(const fs::path& file) {
    return {ErrorCode::Io, file.string() + ": it changed while it was sent"};
}

}  // namespace

Result<void> sendFile(const fs::path& file, const std::string& name, const std::string& sha256,
                      const LineSink& send, const std::function<void(std::uint64_t)>& told) {
    const auto opened = openRegularFile(file);
    if (!opened) return opened.error();
    if (!isSafeName(name)) return Error{ErrorCode::BadUsage, file.string() + ": no hidden file is sent"};
    if (auto sent = send(toLine(FileBegins{name, opened->bytes, sha256})); !sent) return sent;
    std::vector<std::uint8_t> piece(kPieceBytes);
    std::uint64_t left = opened->bytes;
    while (left > 0) {
        const std::size_t wanted = std::size_t(std::min<std::uint64_t>(left, kPieceBytes));
        if (std::fread(piece.data(), 1, wanted, opened->file.get()) != wanted) return changed(file);
        piece.resize(wanted);
        if (auto sent = send(toLine(FilePiece{piece})); !sent) return sent;
        left -= wanted;
        told(wanted);
    }
    return {};
}

ArrivingFile::ArrivingFile(FileBegins file, PendingFile pending)
    : m_file(std::move(file)),
      m_pending(std::move(pending)),
      m_stream(m_pending.path(), std::ios::binary | std::ios::trunc) {}

Result<ArrivingFile> ArrivingFile::create(FileBegins file, const fs::path& target) {
    auto pending = PendingFile::create(target);
    if (!pending) return pending.error();
    ArrivingFile arriving(std::move(file), *std::move(pending));
    if (!arriving.m_stream)
        return Error{ErrorCode::Io, target.string() + ": can't be written: " + std::strerror(errno)};
    return arriving;
}

Result<void> ArrivingFile::add(std::span<const std::uint8_t> bytes) {
    if (bytes.size() > m_file.bytes - m_received)
        return Error{ErrorCode::InvalidData,
                     m_file.name + ": more than its " + std::to_string(m_file.bytes) + " bytes came"};
    m_stream.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    if (!m_stream)
        return Error{ErrorCode::Io,
                     m_pending.finalPath().string() + ": can't be written: " + std::strerror(errno)};
    m_hash.add(bytes);
    m_received += bytes.size();
    return {};
}

Result<PendingFile> ArrivingFile::finish() {
    m_stream.close();
    if (!m_stream)
        return Error{ErrorCode::Io,
                     m_pending.finalPath().string() + ": can't be written: " + std::strerror(errno)};
    const std::string hash = m_hash.finish();
    if (hash != m_file.sha256)
        return Error{ErrorCode::InvalidData, m_file.name + ": it came with the SHA-256 " + hash + "; " +
                                                 m_file.sha256 + " was needed"};
    return std::move(m_pending);
}

}  // namespace reelgrid::fleet
