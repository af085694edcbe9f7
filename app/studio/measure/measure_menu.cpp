// The menu of MeasureTools.

#include <QFileDialog>
#include <QMenuBar>

#include "app/studio/dialogs.h"
#include "app/studio/measure/measure_tools.h"

namespace reelgrid::studio {

namespace {
constexpr const char* kTracePatterns =
    QT_TRANSLATE_NOOP("MeasureTools", "Traces (*.json.gz *.json);;All files (*)");
}  // namespace

void MeasureTools::addMenu(QMenuBar& bar) {
    QMenu* menu = bar.addMenu(tr("&Measure"));
    menu->addAction(tr("&Kernel benchmark…"), this, &MeasureTools::measureKernels);
    menu->addAction(tr("&VAE benchmark…"), this, &MeasureTools::measureVae);
    menu->addAction(tr("&Tune a policy…"), this, &MeasureTools::tune);
    menu->addSeparator();
    menu->addAction(tr("&Error maps of this comparison"), this, &MeasureTools::showErrorMaps);
    menu->addAction(tr("&Captures…"), this, [this] {
        const auto folder = askForFolder(m_window, tr("Folder of captures"));
        if (!folder.empty()) openCaptures(folder);
    });
    menu->addAction(tr("T&race…"), this, [this] {
        const QString file =
            QFileDialog::getOpenFileName(m_window, tr("Open a trace"), {}, tr(kTracePatterns));
        if (!file.isEmpty()) openTrace(file.toStdString());
    });
    menu->addAction(tr("Compare t&wo traces…"), this, [this] {
        const QString before =
            QFileDialog::getOpenFileName(m_window, tr("The trace before"), {}, tr(kTracePatterns));
        if (before.isEmpty()) return;
        const QString after =
            QFileDialog::getOpenFileName(m_window, tr("The trace after"), before, tr(kTracePatterns));
        if (!after.isEmpty()) compareTraces(before.toStdString(), after.toStdString());
    });
    menu->addSeparator();
    menu->addAction(tr("Open a &result…"), this, [this] {
        const QString file = QFileDialog::getOpenFileName(m_window, tr("Open a result"),
                                                          QString::fromStdString(resultsFolder().string()),
                                                          tr("Results (*.json)"));
        if (!file.isEmpty()) static_cast<void>(open(file.toStdString()));
    });
}

}  // namespace reelgrid::studio
