#include "widgets/measure/vae_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "core/measurements/list_reader.h"
#include "widgets/measure/bars_chart.h"
#include "widgets/measure/figure_text.h"
#include "widgets/measure/result_table.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

using measurements::VaePass;
using measurements::VaeRow;

struct Shown {
    const char* name;
    const char* unit;
    std::optional<VaePass> VaeRow::*pass;  ///< or null
    std::optional<double> VaeRow::*value;  ///< or null
    enum class Of { Time, Memory, Value } of;
};
constexpr double kMega = 1e6;
constexpr std::array kShown{
    Shown{QT_TRANSLATE_NOOP("reelgrid::widgets::VaeView", "Decode"), "s", &VaeRow::decode, nullptr,
          Shown::Of::Time},
    Shown{QT_TRANSLATE_NOOP("reelgrid::widgets::VaeView", "Encode"), "s", &VaeRow::encode, nullptr,
          Shown::Of::Time},
    Shown{QT_TRANSLATE_NOOP("reelgrid::widgets::VaeView", "Peak memory of decoding"), "MB", &VaeRow::decode,
          nullptr, Shown::Of::Memory},
    Shown{QT_TRANSLATE_NOOP("reelgrid::widgets::VaeView", "Peak memory of encoding"), "MB", &VaeRow::encode,
          nullptr, Shown::Of::Memory},
    Shown{QT_TRANSLATE_NOOP("reelgrid::widgets::VaeView", "PSNR of the decoded frames against fp32"), "dB",
          nullptr, &VaeRow::decodePsnrDb, Shown::Of::Value},
    Shown{QT_TRANSLATE_NOOP("reelgrid::widgets::VaeView", "PSNR against the clip that went in"), "dB",
          nullptr, &VaeRow::clipPsnrDb, Shown::Of::Value},
};

/// Nothing where it was not measured.
std::optional<Bar> barOf(const VaeRow& row, const Shown& shown) {
    Bar bar{QString::fromStdString(row.configuration), theme::kAccent, 0, {}, {}, {}};
    if (shown.of == Shown::Of::Value) {
        if (!(row.*shown.value)) return std::nullopt;
        bar.value = *(row.*shown.value);
    } else {
        const std::optional<VaePass>& pass = row.*shown.pass;
        if (!pass || (shown.of == Shown::Of::Memory && !pass->peakBytes)) return std::nullopt;
        bar.value = shown.of == Shown::Of::Time ? pass->secondsP50 : *pass->peakBytes / kMega;
        if (shown.of == Shown::Of::Time) {
            bar.from = pass->secondsMin;
            bar.upTo = pass->secondsMax;
        }
    }
    bar.text = figure(bar.value) + ' ' + QString::fromUtf8(shown.unit);
    return bar;
}

}  // namespace

VaeView::VaeView(measurements::VaeResults results, QWidget* parent)
    : QWidget(parent),
      m_results(std::move(results)),
      m_figure(new QComboBox),
      m_bars(new BarsChart(tr("CONFIGURATIONS"))) {
    for (const Shown& shown : kShown) m_figure->addItem(tr(shown.name));
    m_figure->setAccessibleName(tr("Figure"));
    auto* about = new QLabel(tr("%1   clip %2   tiles of %3 pixels   %4 passes")
                                 .arg(QString::fromStdString(m_results.model),
                                      QString::fromStdString(measurements::sizesText(m_results.video)))
                                 .arg(m_results.tilePixels)
                                 .arg(m_results.repetitions));
    about->setObjectName("quiet");
    about->setTextFormat(Qt::PlainText);
    auto* head = new QHBoxLayout;
    head->addWidget(m_figure, 1);
    head->addWidget(about, 2);
    auto* rows = new QSplitter(Qt::Vertical);
    rows->addWidget(m_bars);
    rows->addWidget(table());
    rows->setSizes({360, 220});
    auto* column = new QVBoxLayout(this);
    column->addLayout(head);
    column->addWidget(rows, 1);
    connect(m_figure, &QComboBox::currentIndexChanged, this, [this] { drawBars(); });
    drawBars();
}

void VaeView::drawBars() {
    const Shown& shown = kShown[std::size_t(std::max(0, m_figure->currentIndex()))];
    std::vector<Bar> bars;
    for (const VaeRow& row : m_results.rows)
        if (auto bar = barOf(row, shown)) bars.push_back(*std::move(bar));
    QString axis = tr(shown.name) + ", " + QString::fromUtf8(shown.unit);
    if (shown.of == Shown::Of::Time) axis += tr("; whiskers: fastest to slowest pass");
    m_bars->setBars(std::move(bars), axis);
}

QWidget* VaeView::table() const {
    ChartTable table{{tr("configuration"), tr("note"), tr("encode"), tr("decode"), tr("encode peak"),
                      tr("decode peak"), tr("latents SNR, dB"), tr("decode PSNR, dB"), tr("to the clip, dB")},
                     {}};
    const auto seconds = [](const std::optional<VaePass>& pass) {
        return pass ? secondsText(pass->secondsP50) : figure({});
    };
    const auto peak = [](const std::optional<VaePass>& pass) {
        return pass ? bytesText(pass->peakBytes) : figure({});
    };
    for (const VaeRow& row : m_results.rows)
        table.rows.push_back({QString::fromStdString(row.configuration), QString::fromStdString(row.error),
                              seconds(row.encode), seconds(row.decode), peak(row.encode), peak(row.decode),
                              figure(row.latentsSnrDb), figure(row.decodePsnrDb), figure(row.clipPsnrDb)});
    auto* widget = new ResultTable(2);
    widget->setTable(table);
    return widget;
}

}  // namespace reelgrid::widgets
