#pragma once

namespace reelgrid::protocol {

/// The exit code of a process whose files and streams a plug-in has closed: it has no other way to say so.
inline constexpr int kStreamsClosedExit = 97;

}  // namespace reelgrid::protocol
