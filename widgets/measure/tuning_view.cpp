#include "widgets/measure/tuning_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/measure/figure_text.h"
#include "widgets/measure/points_chart.h"
#include "widgets/measure/result_table.h"
#include "widgets/theme/qt_text.h"
#include "widgets/theme/theme.h"

namespace reelgrid::widgets {

namespace {

using measurements::TuningPoint;
using measurements::TuningRow;

QString qualityName(const std::string& key) {
    if (key == "psnr") return QObject::tr("PSNR against sdpa, dB");
    if (key == "ssim") return QObject::tr("SSIM against sdpa");
    return key == "l1" ? QObject::tr("relative L1 of the latents") : QObject::tr("cosine of the latents");
}

bool isPoint(const TuningPoint& point) {
    return point.seconds && point.quality;
}

}  // namespace

TuningView::TuningView(measurements::TuningResults results, QWidget* parent)
    : QWidget(parent),
      m_results(std::move(results)),
      m_chart(new PointsChart(tr("QUALITY OVER TIME"))),
      m_table(new ResultTable(2)),
      m_use(new QPushButton(tr("Use this policy"))),
      m_taken(new QLabel),
      m_tune(new QPushButton) {
    m_taken->setObjectName("quiet");
    m_taken->setTextFormat(Qt::PlainText);
    auto* verdict = new QLabel(text(m_results.verdict));
    verdict->setTextFormat(Qt::PlainText);
    verdict->setWordWrap(true);
    auto* prompt = new QLabel(tr("budget %1   %2").arg(text(m_results.budget), text(m_results.prompt)));
    prompt->setObjectName("quiet");
    prompt->setTextFormat(Qt::PlainText);
    prompt->setWordWrap(true);
    m_use->setToolTip(tr("Puts the chosen clip's attention policy into the request editor"));
    m_use->setEnabled(false);
    connect(m_use, &QPushButton::clicked, this, [this] { choose(m_table->selectedRow()); });
    connect(m_table, &QTableWidget::itemSelectionChanged, this,
            [this] { m_use->setEnabled(m_table->selectedRow() >= 0); });
    connect(m_table, &QTableWidget::cellDoubleClicked, this, [this](int row, int) { choose(row); });
    connect(m_chart, &PointsChart::pointClicked, this, &TuningView::clicked);
    m_taken->setWordWrap(true);
    m_tune->hide();
    connect(m_tune, &QPushButton::clicked, this, [this] { Q_EMIT budgetChosen(m_offered); });
    auto* rows = new QSplitter(Qt::Vertical);
    rows->addWidget(m_chart);
    rows->addWidget(m_table);
    rows->setSizes({400, 240});
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_taken, 1);
    foot->addWidget(m_tune);
    foot->addWidget(m_use);
    auto* column = new QVBoxLayout(this);
    column->addWidget(verdict);
    column->addWidget(prompt);
    column->addWidget(rows, 1);
    column->addLayout(foot);
    draw();
    fillTable();
}

void TuningView::draw() {
    PointSeries curve{tr("predicted curve"), theme::kQuiet};
    for (const TuningPoint& point : m_results.curve)
        if (isPoint(point)) {
            curve.points.emplace_back(*point.seconds, *point.quality);
            curve.labels << tr("predicted: %1, %2; click to tune for it")
                                .arg(secondsText(point.seconds), figure(point.quality));
            m_onCurve.push_back(point);
        }
    PointSeries predicted{tr("predicted for a policy"), theme::kWarning, PointSeries::Mark::Rings};
    PointSeries policies{tr("policies, measured"), theme::kWarning, PointSeries::Mark::Squares};
    std::vector<int> ofPolicies, ofPredicted;
    std::vector<PointSeries> series;
    m_rendersOf.clear();
    const auto add = [&](PointSeries each, std::vector<int> renders) {
        series.push_back(std::move(each));
        m_rendersOf.push_back(std::move(renders));
    };
    for (int i = 0; i < int(m_results.renders.size()); ++i) {
        const TuningRow& row = m_results.renders[std::size_t(i)];
        if (row.predicted && isPoint(*row.predicted)) {
            predicted.points.emplace_back(*row.predicted->seconds, *row.predicted->quality);
            ofPredicted.push_back(i);
            predicted.labels << tr("%1, predicted: %2, %3; click to use it")
                                    .arg(text(row.name), secondsText(row.predicted->seconds),
                                         figure(row.predicted->quality));
        }
        if (!isPoint(row.measured)) continue;
        const QPointF at(*row.measured.seconds, *row.measured.quality);
        const QString label =
            tr("%1: %2, %3; click to use it").arg(text(row.name), secondsText(at.x()), figure(at.y()));
        if (row.isPolicy) {
            policies.points.push_back(at);
            policies.labels << label;
            ofPolicies.push_back(i);
        } else {
            add({text(row.name), backendColor(text(row.name)), PointSeries::Mark::Dots, {at}, {label}}, {i});
        }
    }
    add(std::move(policies), std::move(ofPolicies));
    // Below what was measured, so that a click there finds the measurement.
    series.insert(series.begin(), {std::move(curve), std::move(predicted)});
    m_rendersOf.insert(m_rendersOf.begin(), {std::vector<int>(), std::move(ofPredicted)});
    const bool ofAttention = m_results.secondsOf == "self_attention";
    m_chart->setSeries(std::move(series),
                       {ofAttention ? tr("seconds of self-attention") : tr("seconds of denoising")},
                       {qualityName(m_results.quality)});
}

void TuningView::fillTable() {
    ChartTable table{
        {tr("render"), tr("within the budget"), tr("predicted s"), tr("measured s"), tr("predicted quality"),
         tr("measured quality"), tr("PSNR"), tr("SSIM"), tr("L1"), tr("cosine"), tr("rules")},
        {}};
    for (const TuningRow& row : m_results.renders) {
        const TuningPoint predicted = row.predicted.value_or(TuningPoint{});
        table.rows.push_back(
            {text(row.name) + (row.name == m_results.chosen ? tr("  (chosen)") : QString()),
             row.meetsBudget ? tr("yes") : tr("no"), figure(predicted.seconds), figure(row.measured.seconds),
             figure(predicted.quality), figure(row.measured.quality), figure(row.psnr), figure(row.ssim),
             figure(row.l1), figure(row.cosine, 7), QString::number(row.policy.rules.size())});
    }
    m_table->setTable(table);
}

namespace {
constexpr int kCurve = 0;
constexpr int kPredicted = 1;

/// A budget that a point of the predicted curve just meets.
QString budgetOf(const std::string& quality, double figure) {
    // psnr in hundredths of a dB, the others in ten-thousandths; rounded so that the point stays within.
    const double unit = quality == "psnr" ? 100 : 10000;
    const bool isError = quality == "l1";
    const double limit = (isError ? std::ceil(figure * unit) : std::floor(figure * unit)) / unit;
    return text(quality) + (isError ? "<=" : ">=") + QString::number(limit);
}
}  // namespace

void TuningView::clicked(int series, int point) {
    if (series == kCurve) return offerToTuneFor(m_onCurve[std::size_t(point)]);
    const std::vector<int>& renders = m_rendersOf[std::size_t(series)];
    choose(renders[std::size_t(point)], series == kPredicted ? Figures::Predicted : Figures::Measured);
}

void TuningView::offerToTuneFor(const TuningPoint& point) {
    m_offered = budgetOf(m_results.quality, *point.quality);
    m_taken->setText(
        tr("Predicted alone: no clip was rendered at %1 and %2, and the result keeps no policy of it. "
           "Tuning for that budget finds one and checks it.")
            .arg(secondsText(point.seconds), figure(point.quality)));
    m_tune->setText(tr("Tune for %1…").arg(m_offered));
    m_tune->show();
}

void TuningView::choose(int render, Figures figures) {
    if (render < 0 || render >= int(m_results.renders.size())) return;
    const TuningRow& row = m_results.renders[std::size_t(render)];
    m_table->selectRow(render);
    m_tune->hide();
    const QString name = text(row.name);
    m_taken->setText(
        figures == Figures::Measured
            ? tr("The request editor has the policy of %1.").arg(name)
            : tr("The request editor has the policy of %1; that point is predicted, measured were %2 "
                 "and %3.")
                  .arg(name, secondsText(row.measured.seconds), figure(row.measured.quality)));
    Q_EMIT policyChosen(name, row.policy);
}

}  // namespace reelgrid::widgets
