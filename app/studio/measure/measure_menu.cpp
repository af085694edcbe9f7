// The menu of MeasureTools.

#include <QFileDialog>

#include "app/studio/actions.h"
#include "app/studio/dialogs.h"
#include "app/studio/measure/measure_tools.h"

namespace reelgrid::studio {

void MeasureTools::connectTo(Actions& actions) {
    actions.onTriggered("compute-metrics", [this] { computeMetrics(); });
    actions.onTriggered("measure-kernels", [this] { measureKernels(); });
    actions.onTriggered("measure-vae", [this] { measureVae(); });
    actions.onTriggered("tune", [this] { tune(); });
    actions.onTriggered("error-maps", [this] { showErrorMaps(); });
    actions.onTriggered("captures", [this] {
        const auto folder = askForFolder(m_window, tr("Folder of captures"));
        if (!folder.empty()) openCaptures(folder);
    });
    actions.onTriggered("trace", [this] {
        const QString file = askForTrace(tr("Open a trace"));
        if (!file.isEmpty()) openTrace(file.toStdString());
    });
    actions.onTriggered("compare-traces", [this] {
        const QString before = askForTrace(tr("The trace before"));
        if (before.isEmpty()) return;
        const QString after = askForTrace(tr("The trace after"));
        if (!after.isEmpty()) compareTraces(before.toStdString(), after.toStdString());
    });
    actions.onTriggered("open-result", [this] {
        const QString file = QFileDialog::getOpenFileName(m_window, tr("Open a result"),
                                                          QString::fromStdString(resultsFolder().string()),
                                                          tr("Results (*.json)"));
        if (!file.isEmpty()) static_cast<void>(open(file.toStdString()));
    });
}

QString MeasureTools::askForTrace(const QString& title) {
    return QFileDialog::getOpenFileName(m_window, title, {}, tr("Traces (*.json.gz *.json);;All files (*)"));
}

}  // namespace reelgrid::studio
