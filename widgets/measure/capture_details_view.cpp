#include "widgets/measure/capture_details_view.h"

#include <QHeaderView>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/measure/figure_text.h"
#include "widgets/measure/heat_chart.h"
#include "widgets/measure/kept_map_view.h"
#include "widgets/measure/points_chart.h"
#include "widgets/measure/result_table.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

using measurements::CaptureDetails;
using measurements::ChannelOutlier;
using measurements::MapBlocks;
using measurements::TensorFigures;

struct Named {
    const char* name;
    QColor color;
    TensorFigures CaptureDetails::*figures;
};
const std::array kTensors{
    Named{"q", QColor(0x4f, 0x9c, 0xf9), &CaptureDetails::q},
    Named{"k", QColor(0xe0, 0xb0, 0x50), &CaptureDetails::k},
    Named{"v", QColor(0x6c, 0xc6, 0x8a), &CaptureDetails::v},
};
constexpr int kFiguresHeight = 112;

/// The bins as steps from the least to the largest value.
PointSeries histogramOf(const Named& tensor, const TensorFigures& figures) {
    PointSeries series{tensor.name, tensor.color, PointSeries::Mark::Steps, {}, {}};
    if (!figures.low || !figures.high || figures.histogram.empty()) return series;
    const auto bins = double(figures.histogram.size());
    const double width = (*figures.high - *figures.low) / bins;
    for (std::size_t bin = 0; bin < figures.histogram.size(); ++bin) {
        const double from = *figures.low + width * double(bin);
        series.points.emplace_back(from, figures.histogram[bin]);
        series.labels << QObject::tr("%1: %2 values from %3 to %4")
                             .arg(tensor.name, fixedText(figures.histogram[bin], 0), figure(from),
                                  figure(from + width));
    }
    return series;
}

/// "queries 96 to 107"
QString rangeText(int block, int blocks, double size) {
    const double from = std::floor(block * size / blocks);
    const double to = std::floor((block + 1) * size / blocks) - 1;
    return from >= to ? fixedText(from, 0)
                      : QObject::tr("%1 to %2").arg(fixedText(from, 0), fixedText(to, 0));
}

}  // namespace

CaptureDetailsView::CaptureDetailsView(QWidget* parent)
    : QWidget(parent),
      m_figures(new ResultTable(1)),
      m_histograms(new PointsChart(tr("VALUES"))),
      m_channels(new PointsChart(tr("CHANNELS"))),
      m_outliers(new ResultTable(1)),
      m_map(new HeatChart(tr("ATTENTION"))),
      m_kept(new KeptMapView),
      m_maps(new QTabWidget) {
    m_figures->setMaximumHeight(kFiguresHeight);
    auto* tensors = new QTabWidget;
    tensors->addTab(m_channels, tr("Channels"));
    tensors->addTab(m_histograms, tr("Histogram"));
    tensors->addTab(m_outliers, tr("Outliers"));
    auto* charts = new QSplitter(Qt::Horizontal);
    m_maps->addTab(m_map, tr("Attention"));
    m_maps->addTab(m_kept, tr("Kept blocks"));
    m_maps->setTabVisible(1, false);
    charts->addWidget(m_maps);
    charts->addWidget(tensors);
    charts->setSizes({540, 500});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_figures);
    column->addWidget(charts, 1);
}

void CaptureDetailsView::setDetails(const CaptureDetails& details) {
    fillFigures(details);
    drawHistograms(details);
    drawChannels(details);
    fillOutliers(details);
    drawMap(details);
    // Whoever asks for a map wants to see it; whoever looks at the attention meanwhile goes on.
    const bool isNew = details.kept && !m_maps->isTabVisible(1);
    if (details.kept) m_kept->setMap(*details.kept);
    m_maps->setTabVisible(1, details.kept.has_value());
    if (isNew) m_maps->setCurrentIndex(1);
}

void CaptureDetailsView::fillFigures(const CaptureDetails& details) {
    ChartTable table{{tr("tensor"), tr("mean"), tr("std"), tr("absmax"), tr("least"), tr("largest"),
                      tr("NaN"), tr("infinite"), tr("values"), tr("farthest channel")},
                     {}};
    for (const Named& tensor : kTensors) {
        const TensorFigures& x = details.*tensor.figures;
        const QString farthest =
            x.outliers.empty()
                ? figure({})
                : tr("%1× the median")
                      .arg(fixedText(
                          std::ranges::max(x.outliers, {}, &ChannelOutlier::timesMedian).timesMedian, 1));
        table.rows.push_back({tensor.name, figure(x.mean), figure(x.deviation), figure(x.absMax),
                              figure(x.low), figure(x.high), fixedText(x.nans, 0), fixedText(x.infinities, 0),
                              fixedText(x.elements, 0), farthest});
    }
    m_figures->setTable(table);
}

void CaptureDetailsView::drawHistograms(const CaptureDetails& details) {
    std::vector<PointSeries> series;
    for (const Named& tensor : kTensors) series.push_back(histogramOf(tensor, details.*tensor.figures));
    m_histograms->setSeries(std::move(series), {tr("value"), PointAxis::Scale::Linear},
                            {tr("how many, all heads"), PointAxis::Scale::Logarithmic});
}

void CaptureDetailsView::drawChannels(const CaptureDetails& details) {
    std::vector<PointSeries> series;
    for (const Named& tensor : kTensors) {
        const TensorFigures& x = details.*tensor.figures;
        PointSeries channels{tensor.name, tensor.color, PointSeries::Mark::Steps, {}, {}};
        std::vector<double> sorted = x.channelAbsMax;
        std::ranges::sort(sorted);
        const double median = sorted.empty() ? 0 : sorted[sorted.size() / 2];
        for (std::size_t channel = 0; channel < x.channelAbsMax.size(); ++channel) {
            const double largest = x.channelAbsMax[channel];
            channels.points.emplace_back(double(channel), largest);
            channels.labels << tr("%1 channel %2: %3, %4× the median")
                                   .arg(tensor.name)
                                   .arg(channel)
                                   .arg(figure(largest),
                                        figure(median > 0 ? std::optional(largest / median) : std::nullopt,
                                               3));
        }
        series.push_back(std::move(channels));
    }
    m_channels->setSeries(std::move(series), {tr("channel of head %1").arg(details.map.head)},
                          {tr("absmax over its tokens"), PointAxis::Scale::Logarithmic});
}

void CaptureDetailsView::fillOutliers(const CaptureDetails& details) {
    ChartTable table{{tr("tensor"), tr("head"), tr("channel"), tr("absmax"), tr("× the head's median")}, {}};
    std::vector<std::pair<const char*, ChannelOutlier>> all;
    for (const Named& tensor : kTensors)
        for (const ChannelOutlier& each : (details.*tensor.figures).outliers)
            all.emplace_back(tensor.name, each);
    std::ranges::sort(all, std::ranges::greater(), [](const auto& each) { return each.second.timesMedian; });
    for (const auto& [name, each] : all)
        table.rows.push_back({name, QString::number(each.head), QString::number(each.channel),
                              figure(each.absMax), figure(each.timesMedian)});
    m_outliers->setTable(table);
}

void CaptureDetailsView::drawMap(const CaptureDetails& details) {
    const MapBlocks& map = details.map;
    HeatMapCells cells;
    cells.columns = map.columns;
    cells.rows = map.rows;
    cells.values = map.means;
    cells.columnName = tr("keys, %1 in %2 blocks").arg(fixedText(map.keys, 0)).arg(map.columns);
    cells.rowName = tr("queries, %1 in %2 blocks").arg(fixedText(map.queries, 0)).arg(map.rows);
    cells.valueName = tr("mean weight of a key in head %1").arg(map.head);
    const auto reading = [map](int column, int row) {
        const double mean = map.means[std::size_t(row) * std::size_t(map.columns) + std::size_t(column)];
        return tr("queries %1, keys %2: %3, %4× uniform")
            .arg(rangeText(row, map.rows, map.queries), rangeText(column, map.columns, map.keys),
                 figure(mean, 3), figure(mean * map.keys, 3));
    };
    HeatRange range;
    range.add(cells.values);
    // Weights go down to nothing; five powers of ten below the largest are told apart.
    constexpr double kDynamic = 1e-5;
    range.low = std::max(range.low, range.high * kDynamic);
    m_map->setCells(std::move(cells), range, reading);
}

}  // namespace reelgrid::widgets
