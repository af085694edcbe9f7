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
    const bool isThere = own->load(locale, "reelgrid", "_", ":/translations");
    // The texts are English; its plurals have a file of their own.
    if (!isThere && !own->load(QLocale(QLocale::English), "reelgrid", "_", ":/translations")) return false;
    QCoreApplication::installTranslator(own.release());
    const bool isEnglish = locale.language() == QLocale::English || locale.language() == QLocale::C;
    if (!isThere || isEnglish) return isEnglish;
    // Those of Qt's own buttons and dialogs, where they are installed.
    auto qt = std::make_unique<QTranslator>(&application);
    if (qt->load(locale, "qtbase", "_", QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(qt.release());
    return true;
}

}  // namespace reelgrid::studio
