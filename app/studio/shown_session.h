#pragma once

#include <QStringList>
#include <filesystem>
#include <functional>
#include <map>

#include "core/media/stitch.h"
#include "core/metrics/clip_metrics.h"
#include "core/session/session.h"

namespace reelgrid::widgets {
class CoherenceChart;
class Player;
class TimingChart;
class VideoGrid;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class Comparison;

/// Where a session is shown.
struct Stage {
    Comparison* comparison = nullptr;
    widgets::Player* player = nullptr;
    widgets::VideoGrid* grid = nullptr;
    widgets::TimingChart* timing = nullptr;
    widgets::CoherenceChart* coherence = nullptr;
};

/// The comparison on show as a session, and a session as the comparison on show. GUI thread.
class ShownSession {
  public:
    explicit ShownSession(const Stage& stage) : m_stage(stage) {}

    /// What a session asks to be shown that isn't there, "view.solo 50 of 3 clips"; empty: nothing.
    static QStringList notShown(const session::Session& session);
    /// Replaces what is shown, and plays it from the session's playhead.
    void show(const session::Session& session);
    /// Makes what is shown that of the session with as little change as it takes: clips that stay are not
    /// opened again, renders under way keep their tiles, the playhead stays.
    void change(const session::Session& session);
    void play(double fromSeconds);
    /// Opens clips anew whose files were replaced since what is known of them was read; returns which.
    std::vector<std::filesystem::path> reopenReplaced();
    /// Puts a clip beside what is shown; the first one plays.
    void add(const std::filesystem::path& clip);
    /// Nothing is shown, and nothing of an earlier session holds for what is shown next.
    void clear();
    /// What is on disk, as it is shown now.
    [[nodiscard]] session::Session current(const protocol::RenderRequest& request) const;
    /// The clips that an export of the grid writes, as far ahead of each other as they are on show.
    [[nodiscard]] std::vector<media::LabelledClip> clipsToExport() const;
    [[nodiscard]] media::StitchOptions exportOptions() const;

    /// Whether a tile says that a render by this backend failed.
    [[nodiscard]] bool hasFailed(const std::string& backend) const;
    /// What was measured of its clips that have no files to keep it in, by their paths.
    [[nodiscard]] std::map<std::filesystem::path, metrics::ClipMetrics> requestedMeasures() const;
    [[nodiscard]] const std::vector<session::BlindVote>& blindVotes() const { return m_blindVotes; }
    void setBlindVotes(std::vector<session::BlindVote> votes) { m_blindVotes = std::move(votes); }

  private:
    void addClip(const session::SessionClip& clip);
    void showRest(const session::Session& session);

    Stage m_stage;
    std::vector<session::BlindVote> m_blindVotes;
};

}  // namespace reelgrid::studio
