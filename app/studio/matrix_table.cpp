#include "app/studio/matrix_table.h"

#include <algorithm>
#include <cmath>

#include "app/studio/forecast_text.h"
#include "core/base/byte_count.h"
#include "core/comparison/caption.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/qt_text.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {

using comparison::RenderEstimate;

using widgets::text;

QString timeOf(const MatrixRow& row) {
    if (!row.identical.empty()) return QObject::tr("there already");
    return row.estimate ? aboutText(row.estimate->seconds) : QObject::tr("not known");
}

QString whyOf(const MatrixRow& row) {
    if (!row.identical.empty())
        return QObject::tr("An identical render: %1").arg(text(row.identical.string()));
    if (!row.estimate)
        return QObject::tr("No earlier render of this model on this device lies in the results folder.");
    return estimateText(row.estimate->from);
}

}  // namespace

QString estimateText(RenderEstimate::From from) {
    switch (from) {
        case RenderEstimate::From::Same:
            return QObject::tr("From earlier renders of this size with this backend.");
        case RenderEstimate::From::OtherBackend:
            return QObject::tr("From earlier renders of this size with other backends.");
        case RenderEstimate::From::OtherSize:
            return QObject::tr("From earlier renders of other sizes: a rough guess.");
    }
    return {};
}

QString aboutText(double seconds) {
    if (seconds < 90) return QObject::tr("about %1 s").arg(std::max(1L, std::lround(seconds)));
    if (seconds < 5400) return QObject::tr("about %1 min").arg(std::lround(seconds / 60));
    return QObject::tr("about %1 h").arg(widgets::fixedText(seconds / 3600, 1));
}

void MatrixTable::setRows(std::vector<MatrixRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    m_keys.clear();
    for (const MatrixRow& row : m_rows) m_keys.push_back(forecastKey(row.job.request));
    endResetModel();
}

void MatrixTable::setForecast(const std::string& key, const Result<protocol::RenderForecast>& forecast) {
    m_forecasts.insert_or_assign(key, forecast);
    if (!m_rows.empty()) Q_EMIT dataChanged(index(0, Memory), index(rowCount() - 1, Memory));
}

QVariant MatrixTable::memory(int row, int role) const {
    const auto found = m_forecasts.find(m_keys[std::size_t(row)]);
    if (found == m_forecasts.end()) return role == Qt::DisplayRole ? QString("…") : QVariant();
    const auto& forecast = found->second;
    if (role == Qt::ToolTipRole) return forecastText(forecast);
    if (role == Qt::ForegroundRole) return isTooMuch(forecast) ? widgets::theme::kWarning : QVariant();
    if (role != Qt::DisplayRole) return {};
    return forecast && forecast->peakBytes
               ? tr("about %1").arg(widgets::localText(byteCount(*forecast->peakBytes)))
               : tr("not known");
}

QString MatrixTable::summary(bool reuse) const {
    if (m_rows.empty()) return tr("Nothing to render.");
    double seconds = 0;
    int there = 0, unknown = 0;
    for (const MatrixRow& row : m_rows) {
        const bool isThere = reuse && !row.identical.empty();
        there += isThere;
        if (isThere) continue;
        unknown += !row.estimate;
        seconds += row.estimate ? row.estimate->seconds : 0;
    }
    const int renders = int(m_rows.size()) - there;
    QString words = tr("%1 in %2")
                        .arg(tr("%n render(s)", nullptr, renders),
                             tr("%n comparison(s)", nullptr, m_rows.back().job.subject + 1));
    if (unknown < renders) words += ", " + aboutText(seconds);
    if (unknown == renders && renders > 0)
        words += tr(", how long isn't known");
    else if (unknown > 0)
        words += tr(", and %1 whose time is not known").arg(unknown);
    if (there > 0) words += tr("; %1 are there already").arg(there);
    return words;
}

int MatrixTable::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int MatrixTable::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(ColumnCount);
}

QVariant MatrixTable::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const MatrixRow& row = m_rows[std::size_t(index.row())];
    const protocol::RenderRequest& request = row.job.request;
    if (index.column() == Memory) return memory(index.row(), role);
    if (role == Qt::ToolTipRole)
        return index.column() == Prompt ? text(request.prompt)
               : index.column() == Time ? whyOf(row)
                                        : QVariant();
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
        case Subject:
            return row.job.subject + 1;
        case Prompt:
            return text(request.prompt).simplified();
        case Seed:
            return qulonglong(request.seed);
        case Model:
            return row.model;
        case Steps:
            return row.steps;
        case Backend:
            return text(request.attentionType + (stepCacheName(request.stepCache).empty()
                                                     ? ""
                                                     : "+" + stepCacheName(request.stepCache)));
        case Policy:
            return text(row.job.policy);
        case Time:
            return timeOf(row);
        default:
            return {};
    }
}

QVariant MatrixTable::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
    static const QStringList names{tr("Comparison"), tr("Prompt"), tr("Seed"), tr("Model"), tr("Steps"),
                                   tr("Backend"),    tr("Policy"), tr("Time"), tr("Memory")};
    return names.value(section);
}

}  // namespace reelgrid::studio
