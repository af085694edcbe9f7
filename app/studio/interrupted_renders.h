#pragma once

#include <QObject>
#include <functional>
#include <map>

#include "app/studio/background_thread.h"
#include "core/jobs/job.h"
#include "core/result/interrupted_renders.h"

namespace reelgrid::widgets {
class JobPanel;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

/// Renders that an earlier window, or the command line, left unfinished: a row of the job panel each, until
/// somebody takes it up or discards it. GUI thread; looks and deletes in the background.
class InterruptedRenders : public QObject {
    Q_OBJECT

  public:
    /// `isOurs` says of a clip that a job of this window makes it: what is left of that is the job's to
    /// offer.
    InterruptedRenders(widgets::JobPanel* panel, std::function<bool(const std::filesystem::path&)> isOurs,
                       QObject* parent = nullptr);

    /// Offers those of every comparison in a results folder.
    void lookBelow(const std::filesystem::path& results);
    /// Offers those of one comparison.
    void lookIn(const std::filesystem::path& comparison);
    /// All that can go on do.
    void resumeAll();
    /// It is made anew by somebody: no longer offered.
    void forget(const std::filesystem::path& clip);
    /// Null when this row is somebody else's.
    [[nodiscard]] const result::InterruptedRender* find(const QString& id) const;
    /// What is known of one, for a person to read; empty when this row is somebody else's.
    [[nodiscard]] QString logOf(const QString& id) const;
    /// What is kept of a clip is deleted, whoever offered it.
    void discard(const std::filesystem::path& clip);

  Q_SIGNALS:
    /// A person asked for it; its row is gone.
    void wanted(const reelgrid::result::InterruptedRender& render, reelgrid::jobs::Begin begin);
    void failed(const QString& message);

  private:
    void look(std::function<std::vector<result::InterruptedRender>(const std::stop_token&)> find);
    void offer(const std::vector<result::InterruptedRender>& found);
    void takeUp(const QString& id, jobs::Begin begin);
    void remove(const QString& id);

    widgets::JobPanel* m_panel;
    std::function<bool(const std::filesystem::path&)> m_isOurs;
    std::map<QString, result::InterruptedRender> m_rows;
    int m_last = 0;  // of the ids that were given
    BackgroundThread m_background{BackgroundThread::Priority::Low};
};

}  // namespace reelgrid::studio
