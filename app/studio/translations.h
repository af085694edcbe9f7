#pragma once

#include <QString>

class QCoreApplication;

namespace reelgrid::studio {

/// Has the program speak `language` ("de", "en"; empty: the desktop's), as far as it is translated. Before
/// any text is shown. False where there is no translation: it speaks English then.
bool installTranslations(QCoreApplication& application, const QString& language);

}  // namespace reelgrid::studio
