#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "core/base/result.h"
#include "core/hub/remote_file.h"
#include "core/hub/repository.h"

namespace reelgrid::hub {

/// How long a server is put up with.
struct Patience {
    std::chrono::seconds connect{20};
    std::chrono::seconds stall{30};         ///< below kLeastBytesPerSecond
    int tries = 6;                          ///< in a row that bring less than that speed would in that time
    std::chrono::milliseconds pause{1000};  ///< before the second of them; doubled each time
};

/// Bytes that came (or, negative, that had to be thrown away).
using BytesCame = std::function<void(std::int64_t bytes)>;

/// The file as a blob of the repository, which has its name only once its hash is right. What came of it
/// before, by this program or Hugging Face's own, is gone on from. Failures: NotFound, Io (broken off, wrong
/// hash, full disk, another process at it), Cancelled; what has come stays for the next time.
Result<void> downloadFile(const std::string& url, const std::string& token, const RemoteFile& file,
                          const Repository& repository, const Patience& patience, const BytesCame& came,
                          const std::stop_token& stop);

}  // namespace reelgrid::hub
