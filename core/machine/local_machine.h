#pragma once

#include <memory>

#include "core/machine/machine.h"

namespace reelgrid::machine {

/// The machine that this process runs on. Its GPUs and its processor are looked at once, when they are first
/// asked for, as the driver takes a while to answer and neither changes under a process; its backends each
/// time, as plug-ins may be added. Made in main(); copies share what was found. Any thread.
class LocalMachine {
  public:
    LocalMachine();

    /// Without models. Blocks while the driver answers, the first time.
    [[nodiscard]] Machine now() const;

  private:
    struct Found;
    std::shared_ptr<Found> m_found;
};

}  // namespace reelgrid::machine
