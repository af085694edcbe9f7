#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/base/pending_file.h"
#include "core/base/result.h"
#include "core/fleet/file_transfer.h"
#include "core/protocol/render_request.h"
#include "core/result/writer_lock.h"

namespace reelgrid::fleet {

/// The clip and its companions that another machine made of a request, on their way into their places here.
/// Holds the result's lock. Uncommitted, nothing of it stays.
class ArrivingResult {
  public:
    /// Io when another process is writing this result.
    static Result<ArrivingResult> create(protocol::RenderRequest request, std::string machine);

    [[nodiscard]] const protocol::RenderRequest& request() const { return m_request; }
    // InvalidData or Io, naming the file:
    Result<void> begin(FileBegins file);
    Result<void> add(std::span<const std::uint8_t> bytes);
    /// Gives everything its name, the clip first and the manifest last, which tells the request as it was
    /// made here and which machine rendered it.
    Result<void> commit();

  private:
    ArrivingResult(protocol::RenderRequest request, std::string machine, result::WriterLock lock)
        : m_request(std::move(request)), m_machine(std::move(machine)), m_lock(std::move(lock)) {}
    Result<void> takeWhole();
    Result<void> completeManifest(PendingFile& manifest) const;
    [[nodiscard]] std::filesystem::path placeOf(const std::string& name) const;

    protocol::RenderRequest m_request;
    std::string m_machine;
    result::WriterLock m_lock;
    std::optional<ArrivingFile> m_current;
    std::map<std::string, PendingFile> m_whole;  ///< by the names of the channel
};

}  // namespace reelgrid::fleet
