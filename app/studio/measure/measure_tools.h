#pragma once

#include <QObject>
#include <filesystem>

#include "app/studio/measure/measure_jobs.h"
#include "app/studio/measure/measurement_opener.h"
#include "app/studio/measure/measurement_window.h"

namespace reelgrid::widgets {
class IssuePanel;
class KernelForm;
class MeasureForm;
class MetricsForm;
class RequestEditor;
class TuneForm;
class VaeForm;
class VideoGrid;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class Actions;
class AskedMetrics;
class Comparison;
class Playback;
class RenderController;
class SessionController;

/// The parts of the window that measuring has to do with.
struct MeasuredParts {
    Comparison* comparison;
    Playback* playback;
    widgets::VideoGrid* grid;
    widgets::RequestEditor* editor;
    widgets::JobPanel* jobs;
    widgets::IssuePanel* issues;
    RenderController* renders;
    SessionController* sessions;
    BackgroundThread* background;
};

/// The menu Measure: asks what to measure, has reelgrid-cli do it, and shows what came out, each in a window
/// of its own. Opens such results, captures and traces again. GUI thread.
class MeasureTools : public QObject {
    Q_OBJECT

  public:
    /// `window` is the parent of the windows.
    MeasureTools(const MeasuredParts& parts, QWidget* window);

    void connectTo(Actions& actions);
    /// Opens a result, a suite, a trace, a capture or a folder of them. False: it is none of these.
    bool open(const std::filesystem::path& path);

    /// Of the clips on show: what needs networks or other programs.
    widgets::MetricsForm* computeMetrics();
    void openTrace(const std::filesystem::path& file);
    void openCaptures(const std::filesystem::path& folder);
    widgets::KernelForm* measureKernels();
    widgets::VaeForm* measureVae();
    widgets::TuneForm* tune();
    void compareTraces(const std::filesystem::path& before, const std::filesystem::path& after);
    /// Of the comparison on show. Where none of its clips has them the request in the editor is rendered once
    /// more, by sdpa, with the maps of the other backends: a job like a measurement.
    void showErrorMaps();

    [[nodiscard]] MeasureJobs& jobs() { return m_jobs; }
    [[nodiscard]] std::filesystem::path resultsFolder() const;

  Q_SIGNALS:
    void suiteOpened(const reelgrid::studio::OpenedSuite& suite);

  private:
    [[nodiscard]] QString askForTrace(const QString& title);
    void show(const ReadMeasurement& read);
    void connectView(MeasurementWindow& window, const std::filesystem::path& file);
    void showForm(widgets::MeasureForm* form, const QString& title);
    /// Keeps what came out among the results, and shows it.
    void measure(const QString& title, const QStringList& arguments);
    void startTuning(const QString& title, const QStringList& arguments);
    void makeErrorMaps();
    [[nodiscard]] QStringList backendsToMap() const;
    void keep(const std::filesystem::path& file, const QByteArray& document);
    /// At something that is there already.
    void look(const QString& title, const std::filesystem::path& file, const QStringList& arguments);
    void readAndShow(const std::filesystem::path& file, const QByteArray& document);
    void showClipOf(const QString& backend, const std::filesystem::path& metricsFile);
    void usePolicy(const protocol::AttentionPolicy& policy);

    MeasuredParts m_parts;
    QWidget* m_window;
    MeasureJobs m_jobs;
    MeasurementOpener m_opener;
    AskedMetrics* m_askedMetrics;
};

}  // namespace reelgrid::studio
