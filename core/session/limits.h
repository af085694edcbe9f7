#pragma once

#include <cstddef>

// What a session's file may hold at most.
namespace reelgrid::session {

inline constexpr std::size_t kMaxFileBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxPathBytes = 4096;
inline constexpr std::size_t kMaxClips = 256;
inline constexpr int kMaxColumns = 64;
inline constexpr double kMaxSeconds = 7 * 24 * 3600.0;

}  // namespace reelgrid::session
