#include "app/studio/suite/suite_table.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "widgets/theme/local_number.h"
#include "widgets/theme/qt_text.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {

using suite::SuiteMeasure;
using widgets::text;

// As suite::suiteMeasures() has them; those of pictures are the coherence chart's, too.
[[maybe_unused]] constexpr const char* kSuiteTitles[] = {
    QT_TRANSLATE_NOOP("Measures", "denoising"), QT_TRANSLATE_NOOP("Measures", "denoising after warm-up"),
    QT_TRANSLATE_NOOP("Measures", "render"), QT_TRANSLATE_NOOP("Measures", "most memory")};

constexpr std::array kAxisTitles{std::pair("prompt", QT_TRANSLATE_NOOP("Axes", "Prompt")),
                                 std::pair("seed", QT_TRANSLATE_NOOP("Axes", "Seed")),
                                 std::pair("model", QT_TRANSLATE_NOOP("Axes", "Model")),
                                 std::pair("attention_type", QT_TRANSLATE_NOOP("Axes", "Backend")),
                                 std::pair("attention_policy", QT_TRANSLATE_NOOP("Axes", "Policy")),
                                 std::pair("num_inference_steps", QT_TRANSLATE_NOOP("Axes", "Steps"))};

}  // namespace

QString axisTitle(const std::string& key) {
    const auto known = std::ranges::find(kAxisTitles, key, [](const auto& each) { return each.first; });
    return known == kAxisTitles.end() ? text(key) : QCoreApplication::translate("Axes", known->second);
}

QString axisValueText(const nlohmann::json& value) {
    return value.is_number_float() ? widgets::shortestText(value.get<double>())
                                   : text(suite::valueText(value));
}

QString measureTitle(const SuiteMeasure& measure) {
    const QString title = QCoreApplication::translate("Measures", measure.title);
    return *measure.unit == '\0' ? title : QString("%1, %2").arg(title, QString::fromUtf8(measure.unit));
}

QString numberText(double value, const SuiteMeasure& measure) {
    return widgets::fixedText(value, measure.decimals);
}

SuiteTable::SuiteTable(std::shared_ptr<const suite::SuiteResult> suite, QObject* parent)
    : QAbstractTableModel(parent), m_suite(std::move(suite)) {
    for (const SuiteMeasure& measure : suite::suiteMeasures())
        if (std::ranges::any_of(m_suite->rows,
                                [&](const auto& row) { return row.measured.contains(measure.key); }))
            m_measures.push_back(&measure);
    m_errors = int(std::ranges::any_of(m_suite->rows, [](const auto& row) { return row.error.has_value(); }));
    for (const suite::ValueSummary& value : m_suite->values)
        if (value.axis == suite::kBackendAxis || m_suite->plan.axis(suite::kBackendAxis) == nullptr)
            m_worst.insert(value.worst.begin(), value.worst.end());
}

bool SuiteTable::has(int index, Mark mark) const {
    const suite::SuiteRow& own = row(index);
    if (mark == Mark::Failed) return own.error.has_value();
    if (mark == Mark::Worst) return m_worst.contains(std::size_t(index));
    if (!m_suite->gate) return false;
    const auto measured = own.measured.find(m_suite->gate->key);
    return measured == own.measured.end() ? own.error.has_value() : !m_suite->gate->isMetBy(measured->second);
}

int SuiteTable::columnOfAxis(const std::string& key) const {
    const auto& axes = m_suite->plan.axes;
    const auto found = std::ranges::find(axes, key, &suite::Axis::key);
    return found == axes.end() ? -1 : int(found - axes.begin());
}

int SuiteTable::columnOfMeasure(const std::string& key) const {
    const auto found = std::ranges::find_if(m_measures, [&](const auto* each) { return key == each->key; });
    if (found == m_measures.end()) return -1;
    return int(m_suite->plan.axes.size()) + m_errors + int(found - m_measures.begin());
}

int SuiteTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_suite->rows.size());
}

int SuiteTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_suite->plan.axes.size() + m_measures.size()) + m_errors;
}

QVariant SuiteTable::axisData(std::size_t row, std::size_t axis, int role) const {
    const nlohmann::json& value =
        m_suite->plan.axes[axis].values[m_suite->plan.jobs[m_suite->rows[row].job].at[axis]];
    if (role == kSortRole && value.is_number()) return value.get<double>();
    const bool isBackend = m_suite->plan.axes[axis].key == suite::kBackendAxis;
    const QString words = text(suite::withRemark(axisValueText(value).toStdString(),
                                                 isBackend ? m_suite->rows[row].remark : std::string()));
    if (role == Qt::DisplayRole || role == kSortRole) return words.simplified();
    return role == Qt::ToolTipRole ? QVariant(words) : QVariant();
}

QVariant SuiteTable::measureData(std::size_t row, const SuiteMeasure& measure, int role) const {
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignRight | Qt::AlignVCenter);
    const auto& measured = m_suite->rows[row].measured;
    const auto found = measured.find(measure.key);
    if (found == measured.end()) return role == Qt::DisplayRole ? QString("–") : QVariant();
    if (role == kSortRole) return found->second;
    if (role == Qt::DisplayRole) return numberText(found->second, measure);
    const bool isOfGate = m_suite->gate && m_suite->gate->key == measure.key;
    if (role == Qt::ForegroundRole && isOfGate && has(int(row), Mark::Missed)) return widgets::theme::kWrong;
    const bool isWorst = m_worst.contains(row) && std::string(measure.key) == "psnr";
    if (!isWorst) return {};
    if (role == Qt::ForegroundRole) return widgets::theme::kWarning;
    return role == Qt::ToolTipRole ? tr("One of the lowest of its backend") : QVariant();
}

QVariant SuiteTable::errorData(std::size_t row, int role) const {
    const auto& error = m_suite->rows[row].error;
    if (!error) return {};
    if (role == Qt::ForegroundRole) return widgets::theme::kWrong;
    const bool isShown = role == Qt::DisplayRole || role == Qt::ToolTipRole || role == kSortRole;
    return isShown ? text(error->message) : QVariant();
}

QVariant SuiteTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const auto row = std::size_t(index.row()), column = std::size_t(index.column());
    const std::size_t beforeMeasures = m_suite->plan.axes.size() + std::size_t(m_errors);
    if (column >= beforeMeasures) return measureData(row, *m_measures[column - beforeMeasures], role);
    return column < m_suite->plan.axes.size() ? axisData(row, column, role) : errorData(row, role);
}

QVariant SuiteTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const auto column = std::size_t(section);
    const std::size_t beforeMeasures = m_suite->plan.axes.size() + std::size_t(m_errors);
    const bool isMeasure = column >= beforeMeasures;
    if (role == Qt::TextAlignmentRole)
        return int((isMeasure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    if (isMeasure) return measureTitle(*m_measures[column - beforeMeasures]);
    return column < m_suite->plan.axes.size() ? axisTitle(m_suite->plan.axes[column].key) : tr("Error");
}

SuiteOrder::SuiteOrder(SuiteTable* table, QObject* parent) : QSortFilterProxyModel(parent), m_table(table) {
    setSourceModel(table);
}

void SuiteOrder::showOnly(std::optional<SuiteTable::Mark> mark) {
    m_mark = mark;
    invalidateFilter();
}

void SuiteOrder::lookFor(const QString& words) {
    m_words = words.split(' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

/// With room for the arrow of the column that is sorted by.
QVariant SuiteOrder::headerData(int section, Qt::Orientation orientation, int role) const {
    const QVariant own = QSortFilterProxyModel::headerData(section, orientation, role);
    return role == Qt::DisplayRole && own.isValid() ? own.toString() + QChar(0x2003) : own;
}

bool SuiteOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(SuiteTable::kSortRole), b = right.data(SuiteTable::kSortRole);
    if (!a.isValid() || !b.isValid()) {
        if (a.isValid() == b.isValid()) return false;
        return a.isValid() == (sortOrder() == Qt::AscendingOrder);
    }
    if (a.typeId() == QMetaType::Double && b.typeId() == QMetaType::Double)
        return a.toDouble() < b.toDouble();
    return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
}

bool SuiteOrder::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (m_mark && !m_table->has(row, *m_mark)) return false;
    return std::ranges::all_of(m_words, [&](const QString& word) {
        for (int column = 0; column < m_table->columnCount(); ++column)
            if (m_table->index(row, column, parent)
                    .data(Qt::DisplayRole)
                    .toString()
                    .contains(word, Qt::CaseInsensitive))
                return true;
        return false;
    });
}

}  // namespace reelgrid::studio
