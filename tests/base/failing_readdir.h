#pragma once

namespace reelgrid {

/// While one of these lives, reading any folder fails with an I/O error after `entries` of them ("." and ".."
/// count), as it may on a network's file system.
class FailingReaddir {
  public:
    explicit FailingReaddir(int entries);
    FailingReaddir(const FailingReaddir&) = delete;
    FailingReaddir& operator=(const FailingReaddir&) = delete;
    ~FailingReaddir();
};

}  // namespace reelgrid
