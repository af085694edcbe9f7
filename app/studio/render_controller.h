#pragma once

#include <QObject>
#include <QStringList>
#include <map>
#include <memory>

#include "app/studio/comparison.h"
#include "core/jobs/job_queue.h"
#include "widgets/panels/job_panel.h"

namespace reelgrid::studio {

/// Renders requests in the worker process, one job a backend, and keeps the comparison and the job panel up
/// to date with them. GUI thread; the queue's callback only posts to it.
class RenderController : public QObject {
    Q_OBJECT

  public:
    RenderController(Comparison* comparison, widgets::JobPanel* panel, QObject* parent = nullptr);
    ~RenderController() override;

    /// One job for each backend, sdpa first, as the others are compared with it. A request that differs from
    /// the last one begins a new comparison; the same with other backends adds to it.
    void render(const protocol::RenderRequest& request, QStringList backends);
    /// Where clips go: a new folder in it for every comparison.
    void setResultsFolder(const std::filesystem::path& folder) { m_resultsFolder = folder; }
    [[nodiscard]] const std::filesystem::path& resultsFolder() const { return m_resultsFolder; }
    void setWorker(const jobs::WorkerCommandLine& worker) { m_worker = worker; }
    /// What is known of a job, for a person to read; empty when it is not a render.
    [[nodiscard]] QString logOf(const QString& job) const;

  Q_SIGNALS:
    void failed(const QString& message);
    /// The last unfinished job has ended, however it ended.
    void settled();

  private:
    jobs::JobQueue& queue();
    void cancel(const QString& job);
    void retry(const QString& job);
    void follow(const jobs::Job& job);
    void showInPanel(const jobs::Job& job);
    void showInComparison(const jobs::Job& job);

    Comparison* m_comparison;
    widgets::JobPanel* m_panel;
    std::filesystem::path m_resultsFolder;
    jobs::WorkerCommandLine m_worker;
    protocol::RenderRequest m_lastRequest;
    std::filesystem::path m_comparisonFolder;
    std::map<std::string, int> m_clips;  // the comparison's clip of each job
    std::map<std::string, jobs::Job> m_jobs;
    std::map<std::string, std::string> m_events;  // stages passed, for the log
    std::unique_ptr<jobs::JobQueue> m_queue;      // last: its callback uses the rest
};

}  // namespace reelgrid::studio
