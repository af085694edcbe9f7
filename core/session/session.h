#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/protocol/render_request.h"
#include "core/session/blind_vote.h"
#include "core/session/view_state.h"

namespace reelgrid::session {

inline constexpr int kSessionVersion = 1;

struct SessionClip {
    std::filesystem::path path;  ///< absolute; in the file relative to the session's folder when below it
    std::string label;
    std::string attentionType;  ///< empty: unknown
    double offsetSeconds = 0;   ///< added to the playhead: the clip shows time playhead + offset
};

/// What the charts show; empty: as they begin.
struct ChartsShown {
    std::string measure;  ///< the key of a measure along time, as metrics.json has it
    std::string times;    ///< "stages", "steps", "speed_up", "memory" or "backends"
    bool operator==(const ChartsShown&) const = default;
};

/// A comparison as it can be opened again: what is compared, how it is laid out, where the playhead is, what
/// was asked for, and what was preferred in the blind test.
struct Session {
    std::vector<SessionClip> clips;
    int columns = 0;  ///< 0: ⌈√n⌉
    std::optional<LoopRange> loop;
    double playheadSeconds = 0;
    protocol::RenderRequest request;  ///< its output is not kept
    /// How it is looked at, with columns and loop once more; absent in files of programs without a window.
    std::optional<ViewState> view;
    ChartsShown charts;
    std::vector<BlindVote> blindVotes;  ///< of clips in `clips`; others are not written
};

/// A session read from a file that anybody may have written.
struct LoadedSession {
    Session session;
    /// The clips that lie outside the session's folder (also by a symbolic link): show them to a person and
    /// open them only when they agree.
    std::vector<std::filesystem::path> outside;
    std::string sha256{};  ///< of the file's bytes; empty: it is of none
};

/// InvalidData naming what is wrong: not JSON, another version, a wrong type, too much of something, a
/// relative path that leaves the session's folder. Whether the clips exist is not looked at.
Result<LoadedSession> loadSession(const std::filesystem::path& file);

/// The bytes that saveSession() writes.
std::string fileTextOf(const Session& session, const std::filesystem::path& file);

/// Writes through a temporary file: a failure leaves the old session as it was.
Result<void> saveSession(const Session& session, const std::filesystem::path& file);

}  // namespace reelgrid::session
