// The menu of MeasureTools.

#include <QFileDialog>
#include <QMenuBar>

#include "app/studio/dialogs.h"
#include "app/studio/measure/measure_tools.h"

namespace reelgrid::studio {

void MeasureTools::addMenu(QMenuBar& bar) {
    QMenu* menu = bar.addMenu(tr("&Measure"));
    const auto add = [this, menu](const QString& text, const QString& does, auto run) {
        menu->addAction(text, this, run)->setStatusTip(does);
    };
    add(tr("&Kernel benchmark…"), tr("Times attention kernels, and their errors"),
        &MeasureTools::measureKernels);
    add(tr("&VAE benchmark…"), tr("Times a VAE alone, in several configurations"), &MeasureTools::measureVae);
    add(tr("&Tune a policy…"), tr("Looks for the fastest attention within a quality budget"),
        &MeasureTools::tune);
    menu->addSeparator();
    add(tr("&Error maps of this comparison"), tr("Shows where each backend errs, by layer and step"),
        &MeasureTools::showErrorMaps);
    add(tr("&Captures…"), tr("Looks at attention's saved inputs"), [this] {
        const auto folder = askForFolder(m_window, tr("Folder of captures"));
        if (!folder.empty()) openCaptures(folder);
    });
    add(tr("T&race…"), tr("Shows where a profiled render's time went"), [this] {
        const QString file = askForTrace(tr("Open a trace"));
        if (!file.isEmpty()) openTrace(file.toStdString());
    });
    add(tr("Compare t&wo traces…"), tr("Shows what changed between two profiled renders"), [this] {
        const QString before = askForTrace(tr("The trace before"));
        if (before.isEmpty()) return;
        const QString after = askForTrace(tr("The trace after"));
        if (!after.isEmpty()) compareTraces(before.toStdString(), after.toStdString());
    });
    menu->addSeparator();
    add(tr("Open a &result…"), tr("Shows an earlier measurement again"), [this] {
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
