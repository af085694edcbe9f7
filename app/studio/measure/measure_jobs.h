#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>

#include "app/studio/measure/measure_job.h"
#include "core/base/result.h"
#include "widgets/panels/job_panel.h"

namespace reelgrid::studio {

/// What reelgrid-cli is to do.
struct MeasureOrder {
    QString title;
    QStringList arguments;
    /// Two that measure would measure each other: they take turns. What only reads starts at once.
    enum class Turn { Waits, AtOnce } turn = Turn::Waits;
    /// Made for it, and removed with all in it unless the measurement is finished; empty: none.
    std::filesystem::path folder;
    std::function<void(const QByteArray& document)> done;
};

/// Runs of reelgrid-cli with a row in the job panel. GUI thread.
class MeasureJobs : public QObject {
    Q_OBJECT

  public:
    explicit MeasureJobs(widgets::JobPanel* panel, QObject* parent = nullptr);
    ~MeasureJobs() override;

    /// Instead of what jobs::findWorkerProgram() finds.
    void setProgram(const std::filesystem::path& program) { m_program = program; }
    [[nodiscard]] Result<std::filesystem::path> program() const;
    /// Returns the job's id.
    QString start(MeasureOrder order);
    void cancel(const QString& id);
    /// Null when the job is none of these.
    [[nodiscard]] const widgets::JobView* find(const QString& id) const;
    [[nodiscard]] QString logOf(const QString& id) const;

  Q_SIGNALS:
    void failed(const QString& message);

  private:
    struct Running {
        MeasureOrder order;
        MeasureJob* job = nullptr;
    };
    void startNext();
    void run(const QString& id, MeasureOrder order);
    void end(const QString& id, jobs::JobState state, const QString& status);
    void show(const QString& id, jobs::JobState state, const QString& status, double progress = 0,
              double etaSeconds = -1);

    widgets::JobPanel* m_panel;
    std::filesystem::path m_program;
    std::deque<std::pair<QString, MeasureOrder>> m_waiting;
    std::map<QString, Running> m_running;
    std::map<QString, widgets::JobView> m_views;
    std::map<QString, QString> m_logs;
    int m_nextId = 1;
};

}  // namespace reelgrid::studio
