#pragma once

#include <QWidget>

#include "widgets/panels/job_panel.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace reelgrid::widgets {

/// One job's line in the JobPanel.
class JobRow : public QWidget {
    Q_OBJECT

  public:
    explicit JobRow(QWidget* parent = nullptr);
    void show(const JobView& job);
    [[nodiscard]] const JobView& job() const { return m_job; }

  Q_SIGNALS:
    void cancelClicked();
    void resumeClicked();
    void retryClicked();
    void discardClicked();
    void logClicked();
    void moveClicked(int places);
    void clicked();

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void showStatus();

    JobView m_job;
    QString m_words;  // of the status, however much of it there is room for
    QLabel* m_swatch;
    QLabel* m_title;
    QLabel* m_status;
    QProgressBar* m_progress;
    QToolButton* m_earlier;
    QToolButton* m_later;
    QToolButton* m_cancel;
    QToolButton* m_retry;
    QToolButton* m_log;
    QWidget* m_choice;  // what to do about a leftover
    QPushButton* m_resume;
    QPushButton* m_anew;
    QPushButton* m_discard;
};

/// "0:42", "3:05 min" style remaining time, for people.
QString durationText(double seconds);

}  // namespace reelgrid::widgets
