#include "widgets/measure/figure_text.h"

#include <array>
#include <cmath>
#include <utility>

#include "widgets/theme/local_number.h"

namespace reelgrid::widgets {

namespace {
const QString kAbsent = QStringLiteral("–");
}  // namespace

QString figure(std::optional<double> value, int digits) {
    return value && std::isfinite(*value) ? significantText(*value, digits) : kAbsent;
}

QString secondsText(std::optional<double> seconds) {
    if (!seconds || !std::isfinite(*seconds)) return kAbsent;
    const double size = std::abs(*seconds);
    const auto text = [](double value, const char* unit) {
        const int decimals = std::abs(value) < 10 ? 2 : std::abs(value) < 100 ? 1 : 0;
        return QString("%1 %2").arg(fixedText(value, decimals), QString::fromUtf8(unit));
    };
    if (size < 1e-3) return text(*seconds * 1e6, "µs");
    return size < 1 ? text(*seconds * 1e3, "ms") : text(*seconds, "s");
}

QString bytesText(std::optional<double> bytes) {
    if (!bytes) return kAbsent;
    constexpr std::array kUnits{std::pair{1e9, "GB"}, std::pair{1e6, "MB"}, std::pair{1e3, "kB"}};
    for (const auto& [size, unit] : kUnits)
        if (*bytes >= size) return QString("%1 %2").arg(fixedText(*bytes / size, 1), unit);
    return QString("%1 B").arg(fixedText(*bytes, 0));
}

}  // namespace reelgrid::widgets
