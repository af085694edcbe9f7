#include "app/studio/measure/measure_tools.h"

#include <nlohmann/json.hpp>

#include "app/studio/backend_choices.h"
#include "app/studio/measure/asked_metrics.h"
#include "app/studio/measure/backend_clip.h"
#include "app/studio/measure/capture_reading.h"
#include "app/studio/playback.h"
#include "app/studio/render_controller.h"
#include "app/studio/session_controller.h"
#include "core/base/json.h"
#include "core/result/lockstep_json.h"
#include "core/suite/suite_file.h"
#include "widgets/measure/captures_view.h"
#include "widgets/measure/error_map_view.h"
#include "widgets/measure/kernel_form.h"
#include "widgets/measure/tune_form.h"
#include "widgets/measure/tuning_view.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/request_editor.h"

namespace reelgrid::studio {

namespace {

namespace fs = std::filesystem;

QString pathText(const fs::path& path) {
    return QString::fromStdString(path.string());
}

}  // namespace

MeasureTools::MeasureTools(const MeasuredParts& parts, QWidget* window)
    : QObject(window),
      m_parts(parts),
      m_window(window),
      m_jobs(parts.jobs, this),
      m_opener(parts.background, this),
      m_askedMetrics(new AskedMetrics(parts, &m_jobs, window)) {
    const auto complain = [this](const QString& message) { m_parts.issues->addIssue(message); };
    connect(&m_jobs, &MeasureJobs::failed, this, complain);
    connect(&m_opener, &MeasurementOpener::failed, this, complain);
    connect(&m_opener, &MeasurementOpener::opened, this, &MeasureTools::show);
    connect(&m_opener, &MeasurementOpener::suiteOpened, this, &MeasureTools::suiteOpened);
    connect(&m_opener, &MeasurementOpener::notMeasured, m_parts.sessions, &SessionController::openSession);
    m_parts.sessions->setOtherOpener([this](const fs::path& path) { return open(path); });
}

fs::path MeasureTools::resultsFolder() const {
    return m_parts.renders->resultsFolder() / "measurements";
}

bool MeasureTools::open(const fs::path& path) {
    const fs::path file = fs::absolute(path);
    const QString name = QString::fromStdString(file.filename().string());
    switch (openWith(file)) {
        case OpenWith::Others:
            return false;
        case OpenWith::Document:
            m_opener.readFile(fs::is_directory(file) ? file / suite::kSuiteFile : file);
            return true;
        case OpenWith::Trace:
            openTrace(file);
            return true;
        case OpenWith::Capture:
            look(tr("Capture %1").arg(name), file, {"captures", "show", "--json", pathText(file)});
            return true;
        case OpenWith::Captures:
            openCaptures(file);
            return true;
    }
    return false;
}

void MeasureTools::readAndShow(const fs::path& file, const QByteArray& document) {
    m_opener.read(pathText(file), document, [this](const ReadMeasurement& read) { show(read); });
}

void MeasureTools::look(const QString& title, const fs::path& file, const QStringList& arguments) {
    m_jobs.start({title, arguments, MeasureOrder::Turn::AtOnce, {}, [this, file](const QByteArray& document) {
                      readAndShow(file, document);
                  }});
}

widgets::MetricsForm* MeasureTools::computeMetrics() {
    return m_askedMetrics->choose();
}

void MeasureTools::openTrace(const fs::path& file) {
    look(tr("Trace %1").arg(QString::fromStdString(file.filename().string())), file,
         {"profile", "--json", "--top=200", pathText(file)});
}

void MeasureTools::openCaptures(const fs::path& folder) {
    look(tr("Captures in %1").arg(QString::fromStdString(folder.filename().string())), folder,
         {"captures", "list", "--json", pathText(folder)});
}

void MeasureTools::compareTraces(const fs::path& before, const fs::path& after) {
    const QString name =
        QString::fromStdString(before.filename().string() + " → " + after.filename().string());
    look(tr("Traces %1").arg(name), name.toStdString(),
         {"profile", "--json", "--top=200", pathText(before), pathText(after)});
}

void MeasureTools::show(const ReadMeasurement& read) {
    auto* window = new MeasurementWindow(read, m_window);
    connectView(*window, read.name.toStdString());
    window->show();
}

void MeasureTools::connectView(MeasurementWindow& window, const fs::path& file) {
    if (auto* captures = qobject_cast<widgets::CapturesView*>(window.view())) {
        captures->setSparseBackends(sparseBackends(m_parts.renders->machine()));
        new CaptureReading(&window, captures, &m_opener, [this] { return m_jobs.program(); });
        connect(captures, &widgets::CapturesView::benchmarkRequested, this,
                [this](const QString& folder) { measureKernels()->setInput(folder); });
        if (!window.isOfOneCapture()) captures->chooseFirst();
    }
    if (auto* maps = qobject_cast<widgets::ErrorMapView*>(window.view()))
        connect(maps, &widgets::ErrorMapView::backendClicked, this,
                [this, file](const QString& backend) { showClipOf(backend, file); });
    if (auto* tuning = qobject_cast<widgets::TuningView*>(window.view())) {
        connect(tuning, &widgets::TuningView::policyChosen, this,
                [this](const QString&, const protocol::AttentionPolicy& policy) { usePolicy(policy); });
        connect(tuning, &widgets::TuningView::budgetChosen, this,
                [this](const QString& budget) { tune()->setBudget(budget); });
    }
}

void MeasureTools::showErrorMaps() {
    for (const ComparedClip& clip : m_parts.comparison->clips()) {
        if (!clip.facts || !clip.facts->result.metrics.lockstep) continue;
        const metrics::LockstepMap& map = *clip.facts->result.metrics.lockstep;
        nlohmann::ordered_json document;
        document["lockstep"] = result::toJson(map);
        const fs::path metricsFile = fs::path(clip.path).replace_extension(".files") / "metrics.json";
        return show({pathText(metricsFile), QByteArray::fromStdString(printJsonIndented(document)), map});
    }
    makeErrorMaps();
}

void MeasureTools::showClipOf(const QString& backend, const fs::path& metricsFile) {
    const auto shown = [this, backend] {
        return showBackendClip(*m_parts.comparison, *m_parts.playback, *m_parts.grid, backend);
    };
    m_window->raise();  // also where its issue list says why there is none
    if (shown()) return;
    const fs::path clip = clipBeside(metricsFile, backend);
    if (clip.empty())
        return m_parts.issues->addIssue(
            tr("Error maps: no clip by %1 is on show or beside %2").arg(backend, pathText(metricsFile)));
    m_parts.sessions->open({clip});
    static_cast<void>(shown());
}

void MeasureTools::usePolicy(const protocol::AttentionPolicy& policy) {
    m_parts.editor->setAttentionPolicy(policy);
    m_window->raise();
}

}  // namespace reelgrid::studio
