#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/session/session.h"

namespace reelgrid::session {

/// What saving came to.
struct SavedSession {
    Session session;               ///< as it was written: with the others' votes
    std::vector<BlindVote> added;  ///< those
    /// Nothing was written: somebody else has written other things into the file, or what isn't a session.
    bool mustAsk = false;
};

/// Sessions' files as one window knows them, from reading or writing them: so that it doesn't write over what
/// somebody else has put there since. One thread at a time.
class KnownFiles {
  public:
    /// As loadSession() has read it; one without a hash is of no file, which there was not yet.
    void note(const std::filesystem::path& file, const LoadedSession& loaded);
    /// Reads a file that isn't known. One that can't be read stays unknown.
    void look(const std::filesystem::path& file);

    enum class Others { Ask, Overwrite };
    /// Writes the session with the votes that others have put into the file since it was last known, as far
    /// as they are about its clips. A file that isn't known is replaced.
    Result<SavedSession> save(const Session& session, const std::filesystem::path& file, Others others);

  private:
    struct Known {
        std::string sha256;  ///< empty: it wasn't there
        Session session;
    };
    std::map<std::filesystem::path, Known> m_known;
};

/// Votes of `now` that `before` has not, each as often as it is there more often.
std::vector<BlindVote> votesSince(const std::vector<BlindVote>& before, std::vector<BlindVote> now);

}  // namespace reelgrid::session
