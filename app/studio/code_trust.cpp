#include "app/studio/code_trust.h"

#include <QMessageBox>
#include <QPushButton>

#include "app/studio/settings.h"
#include "core/base/sha256.h"
#include "core/plugins/plugin_file.h"

namespace reelgrid::studio {

bool mayRunCode(QWidget* parent, Settings& settings, const std::filesystem::path& file) {
    const auto fits = plugins::requirePluginFile(file);
    const auto hash = fits ? sha256OfFile(file.string()) : Result<std::string>(fits.error());
    if (!hash) {
        QMessageBox::warning(parent, QObject::tr("Add attention plug-in"),
                             QString::fromStdString(hash.error().message));
        return false;
    }
    const QString contents = QString::fromStdString(*hash);
    if (settings.isTrusted(contents)) return true;
    QMessageBox box(QMessageBox::Warning, QObject::tr("Add attention plug-in"),
                    QObject::tr("“%1” is code: renders with it may read, write and delete whatever you may.")
                        .arg(QString::fromStdString(file.filename().string())),
                    QMessageBox::Cancel, parent);
    box.setInformativeText(
        QObject::tr(
            "Run it only if you know who made it. You are asked again once it has changed.\n\nSHA-256 %1")
            .arg(contents));
    const QPushButton* run = box.addButton(QObject::tr("Run its code"), QMessageBox::AcceptRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.exec();
    if (box.clickedButton() != run) return false;
    settings.trust(contents);
    return true;
}

}  // namespace reelgrid::studio
