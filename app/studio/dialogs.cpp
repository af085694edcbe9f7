#include "app/studio/dialogs.h"

#include <QCoreApplication>
#include <QDialog>
#include <QFileDialog>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QScreen>
#include <QVBoxLayout>

#include "app/studio/session_report.h"
#include "core/media/containers.h"

namespace reelgrid::studio {
namespace {

/// "mp4" of "MP4 (*.mp4)".
QString endingOf(const QString& filter) {
    const qsizetype begin = filter.indexOf("*.") + 2;
    qsizetype end = begin;
    while (end < filter.size() && filter[end].isLetterOrNumber()) ++end;
    return filter.mid(begin, end - begin);
}

/// A name without an ending gets that of the chosen kind. Empty where nobody wants one.
std::filesystem::path askForNewFile(QWidget* parent, const QString& title, const QString& name,
                                    const QString& kinds) {
    QFileDialog dialog(parent, title);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setNameFilters(kinds.split(";;"));
    dialog.selectFile(name);
    const auto end = [&dialog](const QString& kind) { dialog.setDefaultSuffix(endingOf(kind)); };
    QObject::connect(&dialog, &QFileDialog::filterSelected, &dialog, end);
    end(dialog.selectedNameFilter());
    if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty()) return {};
    return dialog.selectedFiles().front().toStdString();
}

}  // namespace

std::vector<std::filesystem::path> askForClipsOrSessions(QWidget* parent) {
    const QStringList names = QFileDialog::getOpenFileNames(
        parent, QObject::tr("Open clips, a session or a result"), {},
        QObject::tr("Clips, sessions and results (%1 *.json *.json.gz *.pt);;All files (*)")
            .arg(QString::fromStdString(media::clipPatterns())));
    std::vector<std::filesystem::path> paths;
    for (const QString& name : names) paths.emplace_back(name.toStdString());
    return paths;
}

std::filesystem::path askForSuite(QWidget* parent) {
    return QFileDialog::getOpenFileName(parent, QObject::tr("Open suite"), {},
                                        QObject::tr("Suites (suite.json);;All files (*)"))
        .toStdString();
}

std::filesystem::path askForExportName(QWidget* parent) {
    return askForNewFile(parent, QObject::tr("Export grid"), kGridFile,
                         QString::fromStdString(media::writtenPatterns()));
}

std::filesystem::path askForSessionName(QWidget* parent) {
    return askForNewFile(parent, QObject::tr("Save session"), "session.json",
                         QObject::tr("Sessions (*.json)"));
}

std::filesystem::path askForReportName(QWidget* parent) {
    return askForNewFile(parent, QObject::tr("Save report"), "report.html",
                         QObject::tr("Web pages (*.html)"));
}

std::filesystem::path askForPictureName(QWidget* parent) {
    return askForNewFile(parent, QObject::tr("Save picture of the grid"), "comparison.png",
                         QObject::tr("Pictures (*.png *.jpg)"));
}

std::filesystem::path askForPolicyFile(QWidget* parent) {
    return QFileDialog::getOpenFileName(parent, QObject::tr("Choose an attention policy"), {},
                                        QObject::tr("Attention policies (*.json);;All files (*)"))
        .toStdString();
}

std::filesystem::path askForLora(QWidget* parent) {
    return QFileDialog::getOpenFileName(parent, QObject::tr("Choose a LoRA"), {},
                                        QObject::tr("LoRAs (*.safetensors);;All files (*)"))
        .toStdString();
}

std::filesystem::path askForPicture(QWidget* parent) {
    return QFileDialog::getOpenFileName(parent, QObject::tr("Choose a picture"), {},
                                        QObject::tr("Pictures (*.png *.jpg *.jpeg *.webp);;All files (*)"))
        .toStdString();
}

std::filesystem::path askForPlugin(QWidget* parent) {
    return QFileDialog::getOpenFileName(
               parent, QObject::tr("Add an attention backend of your own"), {},
               QObject::tr("Libraries, recipes and kernels in Python (*.so *.json *.py);;All files (*)"))
        .toStdString();
}

std::filesystem::path askForFolder(QWidget* parent, const QString& what, const std::filesystem::path& now) {
    return QFileDialog::getExistingDirectory(parent, what, QString::fromStdString(now.string()))
        .toStdString();
}

void showAbout(QWidget* parent) {
    auto* box = new QMessageBox(
        QMessageBox::NoIcon, QObject::tr("About ReelGrid"),
        QObject::tr(
            "<b>ReelGrid %1</b><p>Compares renders of one prompt with several attention kernels.</p>"
            "<p>The sources are under the Apache License 2.0. This program, with QCustomPlot and FFmpeg, "
            "is distributed under the GNU General Public License, version 3 or later.</p>")
            .arg(QCoreApplication::applicationVersion()),
        QMessageBox::Close, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setModal(false);
    box->show();
}

QDialog* showInDialog(QWidget* parent, const QString& title, QWidget* content) {
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(content);
    constexpr QSize kLeast(640, 420);
    dialog->resize(dialog->sizeHint().expandedTo(kLeast).boundedTo(parent->screen()->availableSize() * 0.94));
    dialog->show();
    return dialog;
}

void showText(QWidget* parent, const QString& title, const QString& text) {
    auto* view = new QPlainTextEdit(text);
    view->setReadOnly(true);
    showInDialog(parent, title, view);
}

}  // namespace reelgrid::studio
