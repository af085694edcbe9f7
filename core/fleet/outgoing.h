#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "core/base/result.h"
#include "core/fleet/file_transfer.h"
#include "core/protocol/render_progress.h"
#include "core/protocol/render_request.h"
#include "core/result/component_hash.h"

namespace reelgrid::fleet {

/// What requests name, sent over one connection: each file and model once. One thread's own.
class Outgoing {
  public:
    Outgoing(LineSink send, std::shared_ptr<result::ComponentHasher> hasher)
        : m_send(std::move(send)), m_hasher(std::move(hasher)) {}

    /// Sends what the request names and the host has not got, and puts the names that it has there into the
    /// request. `told` hears of what is on its way ("sending", MiB).
    Result<void> sendFilesOf(protocol::RenderRequest& request, const protocol::ProgressCallback& told);
    /// A file with those that belong beside it; how the host knows it.
    Result<std::string> send(const std::filesystem::path& file,
                             const std::vector<std::filesystem::path>& companions,
                             const protocol::ProgressCallback& told);

  private:
    Result<void> sendModel(std::string& model);

    LineSink m_send;
    std::shared_ptr<result::ComponentHasher> m_hasher;
    std::set<std::string> m_sent;
};

}  // namespace reelgrid::fleet
