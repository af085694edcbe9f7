#include "core/comparison/earlier_session.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/comparison/caption.h"
#include "core/comparison/clip_labels.h"
#include "core/protocol/result_paths.h"
#include "core/result/clip_result.h"
#include "core/session/limits.h"

namespace reelgrid::comparison {

namespace {

namespace fs = std::filesystem;
using session::BlindVote;
using session::Session;
using session::SessionClip;

std::string hashOf(const fs::path& clip, result::ComponentHasher& hasher) {
    const auto hash = hasher.hashFile(clip);
    return hash ? hash->sha256 : std::string();
}

bool isBelow(const fs::path& clip, const fs::path& folder) {
    const fs::path relative = clip.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

/// Whether a person gave it, and neither a render nor the file's name.
bool isOwnLabel(const SessionClip& clip) {
    if (clip.label.empty() || clip.label == clip.attentionType || clip.label == labelOf(clip.path))
        return false;
    const auto manifest = result::readManifest(clip.path);
    if (!manifest) return true;
    const auto isMade = [&](const Caption& caption) {
        return clip.label == caption.text() || clip.label == caption.name ||
               clip.label == caption.labelled(clip.attentionType);
    };
    if (manifest->settings && isMade(captionOf(*manifest->settings, manifest->attention))) return false;
    return !isMade(captionOf(*manifest));
}

bool isLookedAtInAWay(const Session& session) {
    return session.view || session.loop || session.columns != 0 || session.playheadSeconds != 0 ||
           session.charts != session::ChartsShown();
}

/// "3 votes were of clips that were rendered again: dropped"
std::string dropped(int count, const std::string& what) {
    const std::string of = count == 1 ? " was of a clip" : "s were of clips";
    return std::to_string(count) + " " + what + of + (count == 1 ? " that was" : " that were") +
           " rendered again: dropped";
}

Result<fs::path> putAside(const fs::path& file) {
    fs::path aside = file;
    aside += ".old";
    std::error_code failed;
    for (int further = 2; fs::exists(fs::symlink_status(aside, failed)); ++further) {
        aside = file;
        aside += ".old." + std::to_string(further);
    }
    fs::rename(file, aside, failed);
    if (failed)
        return Error{ErrorCode::Io,
                     "can't rename " + file.string() + " to " + aside.string() + ": " + failed.message()};
    return aside;
}

}  // namespace

/// One session on its way into another.
class EarlierSession::Keeping {
  public:
    Keeping(const EarlierSession& earlier, Session& session) : m_earlier(earlier), m_session(session) {
        for (const SessionClip& clip : session.clips) m_now[clip.path] = hashOf(clip.path, m_hasher);
    }

    std::vector<std::string> run() {
        for (const SessionClip& was : old().clips) keepClip(was);
        for (const BlindVote& vote : old().blindVotes) keepVote(vote);
        for (const SessionClip& was : old().clips)
            if (!m_now.contains(was.path) && isPeoples(was)) addClip(was);
        if (old().view) putInOldOrder();
        keepLook();
        std::vector<std::string> lines;
        for (const auto& [count, what] :
             {std::pair(m_votes, "vote"), std::pair(m_labels, "label"), std::pair(m_offsets, "offset")})
            if (count > 0) lines.push_back(dropped(count, what));
        if (m_beyond > 0)
            lines.push_back(std::to_string(m_beyond) +
                            " clips are left out: " + std::to_string(session::kMaxClips) + " are the most");
        if (!m_stays && !old().clips.empty() && isLookedAtInAWay(old()))
            lines.push_back("how it was looked at was of clips that were rendered again: dropped");
        return lines;
    }

  private:
    [[nodiscard]] const Session& old() const { return m_earlier.m_session; }
    [[nodiscard]] const Was& was(const fs::path& clip) const { return m_earlier.m_was.at(clip); }
    [[nodiscard]] bool isSame(const fs::path& clip, const std::string& then) const {
        const auto now = m_now.find(clip);
        return now == m_now.end() || (!then.empty() && then == now->second);
    }
    [[nodiscard]] std::optional<std::size_t> placeOf(const fs::path& clip) const {
        const auto found = std::ranges::find(m_session.clips, clip, &SessionClip::path);
        if (found == m_session.clips.end()) return std::nullopt;
        return std::size_t(found - m_session.clips.begin());
    }

    void keepClip(const SessionClip& then) {
        const auto place = placeOf(then.path);
        if (!place) return;
        const bool isOwn = was(then.path).hasOwnLabel;
        const bool isFirst = m_seen.insert(then.path).second;
        if (isSame(then.path, was(then.path).sha256)) {
            if (!isFirst) return addClip(then);  // beside itself, further on perhaps
            m_stays = true;
            if (isOwn) m_session.clips[*place].label = then.label;
            m_session.clips[*place].offsetSeconds = then.offsetSeconds;
            return;
        }
        m_again.insert(then.path);
        m_labels += isOwn;
        m_offsets += then.offsetSeconds != 0;
    }

    void keepVote(const BlindVote& vote) {
        const auto holds = [&](const fs::path& clip, const std::string& seen) {
            return isSame(clip, seen.empty() ? was(clip).sha256 : seen);
        };
        if (holds(vote.first, vote.firstSha256) && holds(vote.second, vote.secondSha256))
            m_session.blindVotes.push_back(vote);
        else
            ++m_votes;
    }

    /// A render of this folder that wasn't asked for this time is in the session for what was said of it
    /// alone.
    [[nodiscard]] bool isPeoples(const SessionClip& clip) const {
        std::error_code ignored;
        const bool isRender = clip.path.parent_path() == m_earlier.m_folder / protocol::kResultsFolder &&
                              fs::is_directory(protocol::resultFolderOf(clip.path), ignored);
        return !isRender || was(clip.path).hasOwnLabel ||
               std::ranges::any_of(m_session.blindVotes, [&](const BlindVote& vote) {
                   return vote.first == clip.path || vote.second == clip.path;
               });
    }

    void addClip(const SessionClip& clip) {
        if (m_session.clips.size() >= session::kMaxClips) {
            ++m_beyond;
            return;
        }
        m_session.clips.push_back(clip);
        m_stays = true;
    }

    /// As the studio's grid showed them, new ones last.
    void putInOldOrder() {
        std::vector<SessionClip> ordered;
        for (const SessionClip& then : old().clips)
            if (const auto place = placeOf(then.path)) {
                ordered.push_back(m_session.clips[*place]);
                m_session.clips.erase(m_session.clips.begin() + std::ptrdiff_t(*place));
            }
        ordered.insert(ordered.end(), m_session.clips.begin(), m_session.clips.end());
        m_session.clips = std::move(ordered);
    }

    void keepLook() {
        if (!m_stays) return;
        m_session.columns = old().columns;
        m_session.loop = old().loop;
        m_session.playheadSeconds = old().playheadSeconds;
        m_session.charts = old().charts;
        m_session.view = old().view;
        if (!m_session.view) return;
        // Tiles have other numbers where clips came or went.
        session::ViewState& view = *m_session.view;
        const auto tileNow = [&](int tile) {
            if (tile < 0 || tile >= int(old().clips.size())) return tile;
            const auto place = placeOf(old().clips[std::size_t(tile)].path);
            return place ? int(*place) : -1;
        };
        for (int* tile : {&view.solo, &view.reference, &view.other}) *tile = tileNow(*tile);
        view.offsets.clear();
        for (std::size_t tile = 0; tile < std::min(old().view->offsets.size(), old().clips.size()); ++tile) {
            const session::ClipOffset offset = old().view->offsets[tile];
            const int now = tileNow(int(tile));
            if (offset == session::ClipOffset() || now < 0) continue;
            if (m_again.contains(old().clips[tile].path)) {
                ++m_offsets;
                continue;
            }
            if (view.offsets.size() <= std::size_t(now)) view.offsets.resize(std::size_t(now) + 1);
            view.offsets[std::size_t(now)] = offset;
        }
    }

    const EarlierSession& m_earlier;
    Session& m_session;
    result::ComponentHasher m_hasher{result::KeptHashes::ofUser()};
    std::map<fs::path, std::string> m_now;  // of the clips that the comparison made or took
    std::set<fs::path> m_seen, m_again;
    int m_votes = 0, m_labels = 0, m_offsets = 0, m_beyond = 0;
    bool m_stays = false;
};

EarlierSession EarlierSession::read(const fs::path& file) {
    EarlierSession earlier;
    earlier.m_file = file;
    auto loaded = session::loadSession(file);
    if (!loaded) {
        if (loaded.error().code != ErrorCode::NotFound) earlier.m_error = loaded.error();
        return earlier;
    }
    earlier.m_folder = fs::absolute(file).lexically_normal().parent_path();
    earlier.m_session = std::move(loaded->session);
    result::ComponentHasher hasher(result::KeptHashes::ofUser());
    for (const SessionClip& clip : earlier.m_session.clips)
        earlier.m_was[clip.path] = {
            isBelow(clip.path, earlier.m_folder) ? hashOf(clip.path, hasher) : std::string(),
            isOwnLabel(clip)};
    return earlier;
}

std::vector<std::string> EarlierSession::keepIn(Session& session) const {
    return Keeping(*this, session).run();
}

Result<std::string> EarlierSession::replaceBy(const session::Session& session) const {
    std::string line;
    std::error_code ignored;
    if (m_error && fs::is_regular_file(m_file, ignored)) {
        const auto aside = putAside(m_file);
        if (!aside) return aside.error();
        line = m_error->message + "; it is " + aside->string() + " now";
    }
    if (auto written = session::saveSession(session, m_file); !written) return written.error();
    return line;
}

}  // namespace reelgrid::comparison
