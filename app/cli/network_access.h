#pragma once

#include "core/base/result.h"

namespace reelgrid::cli {

/// Takes the network from this process and from those that it starts, for good: from now on no socket can be
/// made but for local ones (Unix, netlink). A file that makes a parser run foreign code reaches nobody so.
/// Unsupported where the kernel has no seccomp filters, or this build doesn't know the machine's calls.
Result<void> leaveNetwork();

/// Whether leaveNetwork() does what it says here: tried in a process of its own.
Result<void> canLeaveNetwork();

}  // namespace reelgrid::cli
