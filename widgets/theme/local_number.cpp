#include "widgets/theme/local_number.h"

#include <QLocale>

#include "widgets/theme/qt_text.h"

namespace reelgrid::widgets {

namespace {

QLocale ungrouped() {
    QLocale locale;
    locale.setNumberOptions(QLocale::OmitGroupSeparator | QLocale::RejectGroupSeparator);
    return locale;
}

}  // namespace

QString fixedText(double value, int decimals) {
    return ungrouped().toString(value, 'f', decimals);
}

QString significantText(double value, int digits) {
    return ungrouped().toString(value, 'g', digits);
}

QString shortestText(double value) {
    return ungrouped().toString(value, 'g', QLocale::FloatingPointShortest);
}

QString localText(std::string_view number) {
    return text(number).replace('.', QLocale().decimalPoint());
}

std::optional<double> numberIn(const QString& text) {
    bool isNumber = false;
    const double value = ungrouped().toDouble(text, &isNumber);
    if (isNumber) return value;
    const double pointed = text.toDouble(&isNumber);
    return isNumber ? std::optional(pointed) : std::nullopt;
}

}  // namespace reelgrid::widgets
