#pragma once

#include <QColor>
#include <QStringList>
#include <QWidget>
#include <map>

#include "core/jobs/job.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace reelgrid::widgets {

class JobRow;

/// What a row says about one job.
struct JobView {
    QString title;
    QColor color;
    jobs::JobState state = jobs::JobState::Queued;
    QString status;          ///< "denoise 7 / 20", "done in 21.3 s", the error's line
    double progress = 0;     ///< 0 to 1 of the whole job
    double etaSeconds = -1;  ///< negative while unknown
    bool repeatable = true;  ///< can be tried again once it failed or was cancelled
    QString subject{};       ///< what is rendered, where the jobs on show differ in it
    bool resumable = false;  ///< steps of it are kept: it can go on from them
    bool leftover = false;   ///< lies on the disk unfinished: stays in sight until it is resumed or discarded
};

/// The background jobs, newest last, each with its progress and what can be done about it.
class JobPanel : public QWidget {
    Q_OBJECT

  public:
    explicit JobPanel(QWidget* parent = nullptr);
    /// Adds the job or shows its new state.
    void setJob(const QString& id, const JobView& job);
    void remove(const QString& id);
    /// Drops the rows of jobs that are neither waiting nor running nor left over.
    void removeFinished();
    /// Those that wait, the next to run first: their rows are put in this order, below the others.
    void setWaitingOrder(const QStringList& ids);
    /// What the button for it shows.
    void setPaused(bool paused);
    [[nodiscard]] QStringList jobIds() const;
    [[nodiscard]] int jobCount() const { return int(m_rows.size()); }
    /// What the row shows.
    [[nodiscard]] JobView job(const QString& id) const;

  Q_SIGNALS:
    void cancelRequested(const QString& id);
    /// From its last kept step.
    void resumeRequested(const QString& id);
    /// From the start.
    void retryRequested(const QString& id);
    /// What is kept of it is to be deleted.
    void discardRequested(const QString& id);
    void logRequested(const QString& id);
    /// One place to the front (-1) or to the back (1).
    void moveRequested(const QString& id, int places);
    void pauseRequested(bool paused);
    /// A click on a row: its comparison is to be shown.
    void showRequested(const QString& id);

  private:
    void showCount();

    std::map<QString, JobRow*> m_rows;
    QVBoxLayout* m_layout;
    QLabel* m_empty;
    QPushButton* m_pause;
};

}  // namespace reelgrid::widgets
