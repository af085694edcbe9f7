#pragma once

#include <chrono>
#include <filesystem>

#include "core/base/result.h"

namespace reelgrid::result {

/// Held while a result is being written, so that no two processes (or threads) write to one name at once. It
/// is a lock on a hidden file, ".<name>.lock" beside `target`, which ends with the process however that ends.
class WriterLock {
  public:
    /// Makes the folder that `target` is in. When another holds the lock, waits `patience` for it (a process
    /// that was just told to stop needs a moment), then fails with Io, naming target and process. Where a
    /// file system knows no locks there is none.
    static Result<WriterLock> acquire(const std::filesystem::path& target,
                                      std::chrono::milliseconds patience = std::chrono::seconds(2));

    /// Whether somebody writes it now. Changes nothing on the disk.
    static bool isHeld(const std::filesystem::path& target);

    WriterLock(WriterLock&& other) noexcept;
    WriterLock& operator=(WriterLock&& other) noexcept;
    ~WriterLock();

  private:
    WriterLock(std::filesystem::path file, int descriptor);
    void release() noexcept;

    std::filesystem::path m_file;
    int m_descriptor = -1;
};

}  // namespace reelgrid::result
