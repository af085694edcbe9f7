#pragma once

#include <filesystem>

#include "core/session/session.h"

namespace reelgrid::session {

/// How a window's work was left: by closing it, or by an end that nobody asked for.
enum class LeftBy { Crash, Closing };

/// A session with changes that its file lacks, as a window keeps it beside the settings while it runs.
struct UnsavedWork {
    Session session;
    std::filesystem::path file;  ///< the session's own; empty: it has none yet
    LeftBy leftBy = LeftBy::Crash;
};

Result<void> saveUnsavedWork(const UnsavedWork& work, const std::filesystem::path& file);
/// Trusted as far as a session is that the person opened before: its clips are not asked about again.
Result<UnsavedWork> loadUnsavedWork(const std::filesystem::path& file);

}  // namespace reelgrid::session
