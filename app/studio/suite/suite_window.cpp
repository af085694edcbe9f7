#include "app/studio/suite/suite_window.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/studio/blind_test.h"
#include "app/studio/wide_column_view.h"
#include "core/suite/row_check.h"
#include "core/suite/suite_file.h"
#include "widgets/measure/result_table.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/qt_text.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {

using suite::Estimate;
using suite::MeasureSummary;
using suite::SuiteMeasure;
using widgets::text;

constexpr QSize kSuiteWindowSize(1320, 860);

enum class Sign { Minus, Both };

/// "41.20 (39.91 to 42.60)"; without an interval for a single prompt.
QString intervalText(const Estimate& estimate, const SuiteMeasure& measure, Sign sign) {
    const auto shown = [&](double value) {
        return (sign == Sign::Both && value >= 0 ? "+" : "") + numberText(value, measure);
    };
    if (!estimate.low || !estimate.high) return shown(estimate.mean);
    return QObject::tr("%1 (%2 to %3)")
        .arg(shown(estimate.mean), shown(*estimate.low), shown(*estimate.high));
}

QStringList valueRow(const QString& axis, const QString& value, const MeasureSummary& summary) {
    const SuiteMeasure& measure = *summary.measure;
    return {
        axis,
        value,
        measureTitle(measure),
        intervalText(summary.all, measure, Sign::Minus),
        summary.difference ? intervalText(*summary.difference, measure, Sign::Both) : QString("–"),
        summary.winRate ? QString("%1 %").arg(widgets::fixedText(100 * *summary.winRate, 0)) : QString("–"),
        QString::number(summary.all.clips)};
}

QLabel* wordsLine(const QString& words, const char* look) {
    auto* label = new QLabel(words);
    label->setObjectName(look);
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    return label;
}

QString outcomeText(const suite::Gate& gate, const suite::GateOutcome& outcome) {
    const QString words =
        QObject::tr("%1 of %2 clips meet %3").arg(outcome.met).arg(outcome.clips).arg(text(gate.text));
    const QString passed = outcome.passed ? QObject::tr("passed") : QObject::tr("failed");
    const QString line = QString("%1: %2").arg(words, passed);
    return outcome.value.empty()
               ? line
               : QString("%1: %2").arg(text(suite::withRemark(outcome.value, outcome.remark)), line);
}

}  // namespace

SuiteWindow::SuiteWindow(const OpenedSuite& opened, VotesChanged changed, QWidget* parent)
    : QWidget(parent, Qt::Window),
      m_file(opened.file),
      m_suite(opened.result),
      m_votes(std::make_shared<SuiteVotes>(SuiteVotes{opened.votes, std::move(changed)})),
      m_values(new widgets::ResultTable(3)),
      m_table(new SuiteTable(m_suite, this)),
      m_order(new SuiteOrder(m_table, this)),
      m_clips(new WideColumnView),
      m_axis(new QComboBox) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Suite %1 – ReelGrid").arg(text(m_file.parent_path().filename().string())));
    m_values->setAccessibleName(tr("What each value comes to"));
    fillValues();
    m_clips->setModel(m_order);
    m_clips->setAccessibleName(tr("The suite’s clips"));
    m_clips->setSelectionMode(QAbstractItemView::SingleSelection);
    m_clips->setWideColumn(m_table->columnOfAxis("prompt"));
    m_clips->setSortingEnabled(true);
    // The worst first; as they were rendered where nothing was compared.
    const std::string by = m_suite->gate ? m_suite->gate->key : "psnr";
    const SuiteMeasure* measure = suite::suiteMeasure(by);
    const bool isLowWorst = measure == nullptr || measure->better == suite::Better::Higher;
    m_clips->sortByColumn(m_table->columnOfMeasure(by),
                          isLowWorst ? Qt::AscendingOrder : Qt::DescendingOrder);
    connect(m_clips, &QTableView::activated, this, &SuiteWindow::openRow);

    auto* below = new QWidget;
    auto* table = new QVBoxLayout(below);
    table->setContentsMargins(0, 0, 0, 0);
    table->addLayout(clipsHead());
    table->addWidget(m_clips, 1);
    auto* both = new QSplitter(Qt::Vertical);
    both->setHandleWidth(8);
    both->addWidget(m_values);
    both->addWidget(below);
    both->setStretchFactor(1, 1);
    both->setSizes({300, 480});
    auto* foot = new QHBoxLayout;
    foot->addWidget(wordsLine(tr("Enter or a double click opens the grid of a row."), "quiet"), 1);
    addBlindTest(foot);
    auto* column = new QVBoxLayout(this);
    addHead(column);
    column->addWidget(both, 1);
    column->addLayout(foot);
    resize(kSuiteWindowSize);
    m_clips->setFocus();
    if (m_order->rowCount() > 0) m_clips->selectRow(0);
}

void SuiteWindow::addHead(QVBoxLayout* column) {
    const suite::Axis* prompts = m_suite->plan.axis("prompt");
    const int failed = int(std::ranges::count_if(
        m_suite->rows, [](const suite::SuiteRow& row) { return row.error.has_value(); }));
    QString counts =
        tr("%1 of %2")
            .arg(tr("%n clip(s)", nullptr, int(m_suite->rows.size())),
                 tr("%n prompt(s)", nullptr, prompts == nullptr ? 1 : int(prompts->values.size())));
    if (failed > 0) counts += "; " + tr("%n failed", nullptr, failed);
    column->addWidget(wordsLine(counts, failed > 0 ? "problem" : "quiet"));
    if (m_suite->againstNotes)
        for (const std::string& line : linesOf(*m_suite->againstNotes, m_suite->plan))
            column->addWidget(wordsLine(
                QString("%1: %2").arg(tr("against %1").arg(text(m_suite->againstNotes->folder)), text(line)),
                "quiet"));
    for (const std::string& line : suite::whyLinesOf(m_suite->rows))
        column->addWidget(wordsLine(text(line), "quiet"));
    if (!m_suite->gate) return;
    for (const suite::GateOutcome& outcome : m_suite->gates)
        column->addWidget(
            wordsLine(outcomeText(*m_suite->gate, outcome), outcome.passed ? "quiet" : "problem"));
    if (m_suite->gates.empty())
        column->addWidget(
            wordsLine(tr("No clip was measured for %1: failed").arg(text(m_suite->gate->text)), "problem"));
}

void SuiteWindow::fillValues() {
    widgets::ChartTable table{{tr("Axis"), tr("Value"), tr("Measure"), tr("Mean (95 % interval)"),
                               tr("Difference from the first (95 % interval)"), tr("Better in"), tr("Clips")},
                              {}};
    for (const suite::ValueSummary& value : m_suite->values)
        for (const MeasureSummary& summary : value.measures)
            table.rows.push_back(valueRow(
                axisTitle(value.axis),
                text(suite::withRemark(axisValueText(value.value).toStdString(), value.remark)), summary));
    for (const suite::SuiteResult::Against& against : m_suite->against)
        for (const MeasureSummary& summary : against.measures)
            table.rows.push_back(valueRow(tr("against %1").arg(text(against.folder)),
                                          text(suite::withRemark(against.value, against.remark)), summary));
    m_values->setTable(table);
}

QLayout* SuiteWindow::clipsHead() {
    auto* marks = new QComboBox;
    marks->setAccessibleName(tr("Which clips are shown"));
    marks->addItem(tr("All clips"));
    marks->addItem(tr("The worst"), int(SuiteTable::Mark::Worst));
    if (m_suite->gate) marks->addItem(tr("Short of the gate"), int(SuiteTable::Mark::Missed));
    marks->addItem(tr("Failed"), int(SuiteTable::Mark::Failed));
    connect(marks, &QComboBox::currentIndexChanged, this, [this, marks] {
        const QVariant mark = marks->currentData();
        m_order->showOnly(mark.isValid() ? std::optional(SuiteTable::Mark(mark.toInt())) : std::nullopt);
    });
    auto* words = new QLineEdit;
    words->setPlaceholderText(tr("Words of prompt, backend, error"));
    words->setAccessibleName(tr("Look for clips"));
    words->setClearButtonEnabled(true);
    connect(words, &QLineEdit::textChanged, m_order, &SuiteOrder::lookFor);
    auto* head = new QHBoxLayout;
    head->addWidget(marks);
    head->addWidget(words, 1);
    return head;
}

void SuiteWindow::addBlindTest(QHBoxLayout* foot) {
    const auto& axes = m_suite->plan.axes;
    // Backends first: they are what is mostly asked about.
    for (std::size_t i = axes.size(); i-- > 0;)
        if (axes[i].values.size() > 1 && axes[i].key != "prompt" && axes[i].key != "seed")
            m_axis->addItem(axisTitle(axes[i].key), qulonglong(i));
    m_axis->setAccessibleName(tr("What the blind test compares"));
    auto* start = new QPushButton(tr("Blind test"));
    start->setToolTip(tr("Shows two clips of one subject without names: which one looks better?"));
    auto* results = new QPushButton(tr("Results"));
    auto* forget = new QPushButton(tr("Forget votes"));
    for (QWidget* each : std::initializer_list<QWidget*>{m_axis, start, results, forget}) {
        each->setEnabled(m_axis->count() > 0);
        foot->addWidget(each);
    }
    connect(start, &QPushButton::clicked, this, [this] { Q_EMIT blindTestRequested(blindClips()); });
    connect(results, &QPushButton::clicked, this, [this] { showBlindResults(*blindClips(), this); });
    connect(forget, &QPushButton::clicked, this, [this] { blindClips()->setVotes({}); });
}

std::shared_ptr<BlindClips> SuiteWindow::blindClips() const {
    if (m_axis->count() == 0) return nullptr;
    return std::make_shared<SuiteBlindClips>(m_suite, std::size_t(m_axis->currentData().toULongLong()),
                                             m_votes);
}

void SuiteWindow::openRow(const QModelIndex& index) {
    const suite::SuiteRow& row = m_table->row(m_order->mapToSource(index).row());
    // One small file: the answer is there before the grid is.
    if (const std::string other = suite::otherThanAsked(*m_suite, row); !other.empty())
        Q_EMIT rowIsOther(
            tr("%1 is not the row’s render: %2").arg(widgets::text(row.clip.string()), widgets::text(other)));
    Q_EMIT sessionRequested(suite::sessionOf(row.clip));
}

}  // namespace reelgrid::studio
