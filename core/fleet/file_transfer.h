#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/base/sha256.h"
#include "core/fleet/channel.h"

namespace reelgrid::fleet {

/// Takes one line of the channel; an error ends the transfer.
using LineSink = std::function<Result<void>(const std::string&)>;

/// Sends a file with that name and hash, piece by piece; `told` hears of each piece's bytes. NotFound or Io,
/// naming the file, also where it has another length at its end than at its beginning.
Result<void> sendFile(const std::filesystem::path& file, const std::string& name, const std::string& sha256,
                      const LineSink& send, const std::function<void(std::uint64_t)>& told);

/// A file that is coming: written beside its final place.
class ArrivingFile {
  public:
    static Result<ArrivingFile> create(FileBegins file, const std::filesystem::path& target);

    /// InvalidData where there is more than was announced, Io where it can't be written.
    Result<void> add(std::span<const std::uint8_t> bytes);
    [[nodiscard]] bool isWhole() const { return m_received == m_file.bytes; }
    /// Once it is whole: the file, not renamed yet. InvalidData naming it where its hash is another.
    Result<PendingFile> finish();
    [[nodiscard]] const std::string& name() const { return m_file.name; }

  private:
    ArrivingFile(FileBegins file, PendingFile pending);

    FileBegins m_file;
    PendingFile m_pending;
    std::ofstream m_stream;
    Sha256 m_hash;
    std::uint64_t m_received = 0;
};

}  // namespace reelgrid::fleet
