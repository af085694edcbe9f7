#pragma once

#include "core/media/labels.h"
#include "core/session/session.h"

namespace reelgrid::widgets {
class Player;
class VideoGrid;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class Comparison;

/// The comparison on show as a session, and a session as the comparison on show. GUI thread.
class ShownSession {
  public:
    ShownSession(Comparison* comparison, widgets::Player* player, widgets::VideoGrid* grid)
        : m_comparison(comparison), m_player(player), m_grid(grid) {}

    /// Replaces what is shown, and plays it from the session's playhead.
    void show(const session::Session& session);
    /// Puts a clip beside what is shown; the first one plays.
    void add(const std::filesystem::path& clip);
    /// Nothing is shown, and nothing of an earlier session holds for what is shown next.
    void clear();
    /// What is on disk, as it is shown now.
    [[nodiscard]] session::Session current(const protocol::RenderRequest& request) const;
    /// The clips that an export writes.
    [[nodiscard]] std::vector<media::LabelledClip> clipsToExport() const;
    [[nodiscard]] int columns() const { return m_columns; }

  private:
    Comparison* m_comparison;
    widgets::Player* m_player;
    widgets::VideoGrid* m_grid;
    int m_columns = 0;
};

}  // namespace reelgrid::studio
