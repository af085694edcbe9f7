#pragma once

#include <QObject>
#include <QStringList>
#include <map>
#include <memory>

#include "app/studio/background_thread.h"
#include "app/studio/comparison.h"
#include "app/studio/interrupted_renders.h"
#include "app/studio/matrix_table.h"
#include "app/studio/render_jobs.h"
#include "app/studio/rendered_comparison.h"
#include "core/machine/local_machine.h"
#include "widgets/panels/job_panel.h"

namespace reelgrid::studio {

/// Turns a request into jobs, one a backend, decides which comparison they belong to, and shows what becomes
/// of them in the job panel and in the grid. GUI thread.
class RenderController : public QObject {
    Q_OBJECT

  public:
    RenderController(Comparison* comparison, widgets::JobPanel* panel, machine::LocalMachine machine,
                     QObject* parent = nullptr);

    /// What renders run on.
    [[nodiscard]] machine::Machine machine() const { return m_machine.now(); }

    /// One job for each backend, sdpa first, as the others are compared with it. What asks for the same
    /// picture as the comparison on show joins it; anything else begins a new one.
    void render(const protocol::RenderRequest& request, QStringList backends,
                const families::ModelInfo& model);
    /// All of a matrix: each subject is a comparison of its own, saved once its renders have ended. The grid
    /// follows them from one to the next until something else is put on show. Rows with an identical clip
    /// take that instead of a render.
    void renderMatrix(const std::vector<MatrixRow>& rows, const std::vector<families::ModelInfo>& models);
    /// A session is on show now, from this file: renders of its subject join it.
    void setOpened(const session::Session& session, const std::filesystem::path& file);
    /// What is on show is no comparison that renders may join.
    void forget() { m_current.reset(); }
    /// All renders go on that can: those that earlier windows left, and those that ended here.
    void resumeAll();

    /// Of the comparison on show, as far as it was rendered here.
    [[nodiscard]] std::vector<comparison::Entry> failedRenders() const {
        return m_current ? m_current->failed : std::vector<comparison::Entry>();
    }

    /// Where new comparisons go, a folder for each.
    void setResultsFolder(const std::filesystem::path& folder);
    [[nodiscard]] const std::filesystem::path& resultsFolder() const { return m_resultsFolder; }
    [[nodiscard]] RenderJobs& jobs() { return m_jobs; }
    [[nodiscard]] InterruptedRenders& interrupted() { return m_interrupted; }

  Q_SIGNALS:
    void failed(const QString& message);
    /// The grid is that of a new comparison; what was there before stays on the disk.
    void began();
    /// The last unfinished job has ended, however it ended.
    void settled();
    /// The last unfinished job of this comparison has ended: it is to be saved.
    void comparisonSettled(const reelgrid::studio::RenderedComparison& comparison, bool onShow);
    void resultsFolderChanged();
    /// Renders of this session are taken up, and nothing is rendered for the one on show: it is to be shown,
    /// and set with setOpened().
    void takenUp(const reelgrid::session::Session& session, const std::filesystem::path& file);
    /// The comparison of a job is settled, and not on show: its session is to be opened.
    void openRequested(const std::filesystem::path& session);

  private:
    struct Place {
        std::shared_ptr<RenderedComparison> comparison;
        int clip = 0;  // its tile, as long as the comparison is on show
    };
    using Shared = std::shared_ptr<RenderedComparison>;
    Shared newSubject(const MatrixRow& row, const families::ModelInfo& model);
    void submit(const protocol::RenderRequest& own, const Shared& comparison);
    void reuse(const std::filesystem::path& clip, const protocol::RenderRequest& own,
               const Shared& comparison);
    void show(const Shared& comparison);
    void showComparisonOf(const QString& job);
    void takeUp(const result::InterruptedRender& render, jobs::Begin begin);
    Shared joinOrShow(RenderedComparison&& comparison);
    void discard(const QString& job);
    void forgetEnded(const std::filesystem::path& clip);
    void removeFinishedRows();
    void followMatrix(const Shared& comparison);
    [[nodiscard]] widgets::JobView rowOf(const jobs::Job& job, const RenderedComparison& comparison) const;
    int addTile(const widgets::JobView& view, const std::filesystem::path& clip);
    void removeEarlierTiles(const ComparedClip& clip);
    void follow(const jobs::Job& before, const jobs::Job& now);
    void showInGrid(const jobs::Job& job, int clip);
    [[nodiscard]] bool isSettled(const RenderedComparison& comparison) const;
    void move(const QString& id, int places);
    void report(const Result<void>& done);

    Comparison* m_comparison;
    widgets::JobPanel* m_panel;
    machine::LocalMachine m_machine;
    std::filesystem::path m_resultsFolder;
    std::shared_ptr<RenderedComparison> m_current;  // the one on show
    std::map<std::string, Place> m_places;          // of each job
    RenderJobs m_jobs;
    InterruptedRenders m_interrupted;
    BackgroundThread m_background;  // copies clips that are reused
};

}  // namespace reelgrid::studio
