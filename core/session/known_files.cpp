#include "core/session/known_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/pending_file.h"
#include "core/session/limits.h"
#include "core/session/session_file.h"
#include "core/session/session_json.h"

namespace reelgrid::session {
namespace {

namespace fs = std::filesystem;

/// All of it but votes, and what changes without anybody's doing.
nlohmann::json restOf(Session session) {
    session.blindVotes.clear();
    session.playheadSeconds = 0;
    for (SessionClip& clip : session.clips) clip.attentionType.clear();
    return toJson(session, "/");
}

bool hasClip(const Session& session, const fs::path& clip) {
    return std::ranges::find(session.clips, clip, &SessionClip::path) != session.clips.end();
}

}  // namespace

std::vector<BlindVote> votesSince(const std::vector<BlindVote>& before, std::vector<BlindVote> now) {
    for (const BlindVote& vote : before)
        if (const auto same = std::ranges::find(now, vote); same != now.end()) now.erase(same);
    return now;
}

void KnownFiles::note(const fs::path& file, const LoadedSession& loaded) {
    m_known[fullPathOf(file)] = {loaded.sha256, loaded.session};
}

void KnownFiles::look(const fs::path& file) {
    if (m_known.contains(fullPathOf(file))) return;
    if (const auto loaded = loadSession(file)) note(file, *loaded);
}

Result<SavedSession> KnownFiles::save(const Session& session, const fs::path& file, Others others) {
    SavedSession saved{session, {}, false};
    if (const auto known = m_known.find(fullPathOf(file)); known != m_known.end()) {
        const auto now = loadSession(file);
        if (!now && now.error().code != ErrorCode::NotFound) {
            saved.mustAsk = true;
        } else if (now && now->sha256 != known->second.sha256) {
            for (BlindVote& vote : votesSince(known->second.session.blindVotes, now->session.blindVotes))
                if (hasClip(session, vote.first) && hasClip(session, vote.second))
                    saved.added.push_back(std::move(vote));
            const nlohmann::json theirs = restOf(now->session);
            saved.mustAsk = theirs != restOf(known->second.session) && theirs != restOf(session);
        }
    }
    if (saved.mustAsk && others == Others::Ask) return saved;
    saved.mustAsk = false;
    saved.session.blindVotes.insert(saved.session.blindVotes.end(), saved.added.begin(), saved.added.end());
    const std::string text = fileTextOf(saved.session, file);
    if (auto written = writeFile(file, text); !written) return written.error();
    m_known[fullPathOf(file)] = {fileHashOf(text), saved.session};
    return saved;
}

}  // namespace reelgrid::session
