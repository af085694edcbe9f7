#include "app/studio/forecast_text.h"

#include <QObject>
#include <QStringList>
#include <nlohmann/json.hpp>

#include "core/base/byte_count.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/qt_text.h"

namespace reelgrid::studio {

namespace {

using widgets::text;

QString bytes(std::uint64_t count) {
    return widgets::localText(byteCount(count));
}

/// As the command line says it.
QString waysOf(const protocol::RenderForecast& forecast) {
    QStringList ways;
    for (const std::string& way : forecast.ways) ways << text(way);
    ways << QObject::tr("a smaller size or fewer frames");
    return ways.join(", ");
}

}  // namespace

std::string forecastKey(const protocol::RenderRequest& request) {
    protocol::RenderRequest rest = request;
    const protocol::RenderRequest usual;
    rest.prompt = rest.negativePrompt.emplace();
    rest.seed = usual.seed;
    rest.numInferenceSteps = usual.numInferenceSteps;
    rest.attentionType = usual.attentionType;
    rest.attentionPolicy = usual.attentionPolicy;
    rest.output.clear();
    return protocol::toJson(rest).dump();
}

namespace {

QString memoryText(const protocol::RenderForecast& forecast) {
    if (!forecast.peakBytes) return {};
    const QString where = forecast.device == "cpu" ? QObject::tr("Memory")
                                                   : QObject::tr("Memory of %1").arg(text(forecast.device));
    const QString peak = bytes(*forecast.peakBytes);
    if (!forecast.freeBytes) return QObject::tr("%1: about %2 at most").arg(where, peak);
    const QString free = bytes(*forecast.freeBytes);
    if (forecast.fits()) return QObject::tr("%1: about %2 at most, %3 free").arg(where, peak, free);
    return QObject::tr("%1: about %2, but only %3 free. Less takes: %4")
        .arg(where, peak, free, waysOf(forecast));
}

}  // namespace

QString forecastText(const Result<protocol::RenderForecast>& forecast) {
    if (!forecast && forecast.error().code == ErrorCode::BadUsage) return text(forecast.error().message);
    if (!forecast) return QObject::tr("Memory not known: %1").arg(text(forecast.error().message));
    const QString memory = memoryText(*forecast);
    // Less than this is not worth a word.
    constexpr std::uint64_t kWorthSaying = std::uint64_t{16} << 20;
    if (forecast->keptFrameBytes < kWorthSaying) return memory;
    const QString disk =
        QObject::tr("Frames without loss: about %1 of disk a clip").arg(bytes(forecast->keptFrameBytes));
    return memory.isEmpty() ? disk : memory + " · " + disk;
}

}  // namespace reelgrid::studio
