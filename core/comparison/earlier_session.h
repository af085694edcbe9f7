#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result/component_hash.h"
#include "core/session/session.h"

namespace reelgrid::comparison {

/// What people put into the session of a folder, as it was before a comparison is rendered into it: votes,
/// labels of their own, clips of their own, and how it is looked at.
class EarlierSession {
  public:
    EarlierSession() = default;
    /// Reads the session, and which clips its folder has now. Where there is no such file nothing was put
    /// there.
    static EarlierSession read(const std::filesystem::path& file);

    /// Why it can't be read.
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

    /// Adds it to the session that takes its place, as far as it holds: of a clip in `session` only where the
    /// same bytes are still at its path. Returns what was dropped, a line each.
    [[nodiscard]] std::vector<std::string> keepIn(session::Session& session) const;
    /// Writes the session in its place. One that couldn't be read is moved out of its way first: to its name
    /// with
    /// ".old" behind it, or ".old.2" and so on where there is one; returns a line that says so, else an empty
    /// one.
    [[nodiscard]] Result<std::string> replaceBy(const session::Session& session) const;

  private:
    struct Was {
        std::string sha256;  ///< empty: the clip wasn't there, or lies elsewhere
        bool hasOwnLabel = false;
    };
    class Keeping;

    std::filesystem::path m_file, m_folder;
    session::Session m_session;
    std::map<std::filesystem::path, Was> m_was;
    std::optional<Error> m_error;
};

}  // namespace reelgrid::comparison
