#include "app/studio/translations.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>
#include <memory>

namespace reelgrid::studio {

bool installTranslations(QCoreApplication& application, const QString& language) {
    const QLocale locale = language.isEmpty() ? QLocale::system() : QLocale(language);
    auto own = std::make_unique<QTranslator>(&application);
    if (!own->load(locale, "reelgrid", "_", ":/translations")) return locale.language() == QLocale::English;
    QCoreApplication::installTranslator(own.release());
    if (locale.language() == QLocale::English) return true;
    // Those of Qt's own buttons and dialogs, where they are installed.
    auto qt = std::make_unique<QTranslator>(&application);
    if (qt->load(locale, "qtbase", "_", QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(qt.release());
    return true;
}

}  // namespace reelgrid::studio
