#include "widgets/panels/clock_text.h"

#include <QLocale>
#include <algorithm>
#include <cmath>

namespace reelgrid::widgets {

QString clockText(double seconds) {
    const long long milliseconds = std::llround(std::max(0.0, seconds) * 1000);
    const long long minutes = milliseconds / 60000;
    const QString ofMinute = QString("%1%2%3")
                                 .arg(milliseconds / 1000 % 60, 2, 10, QChar('0'))
                                 .arg(QLocale().decimalPoint())
                                 .arg(milliseconds % 1000, 3, 10, QChar('0'));
    if (minutes < 60) return QString("%1:%2").arg(minutes, 2, 10, QChar('0')).arg(ofMinute);
    return QString("%1:%2:%3").arg(minutes / 60).arg(minutes % 60, 2, 10, QChar('0')).arg(ofMinute);
}

}  // namespace reelgrid::widgets
