#pragma once

#include <QAbstractTableModel>
#include <map>
#include <optional>
#include <vector>

#include "core/comparison/earlier_renders.h"
#include "core/comparison/render_matrix.h"
#include "core/protocol/render_forecast.h"

namespace reelgrid::studio {

/// A render of the matrix and what is known of it before it starts.
struct MatrixRow {
    comparison::MatrixJob job;
    QString model;
    int steps = 0;
    std::optional<comparison::RenderEstimate> estimate{};
    std::filesystem::path identical{};  ///< a clip that can stand for it; empty: none
};

/// The renders of a matrix as a table.
class MatrixTable : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Subject, Prompt, Seed, Model, Steps, Backend, Policy, Time, Memory, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<MatrixRow> rows);
    [[nodiscard]] const std::vector<MatrixRow>& rows() const { return m_rows; }
    /// Of all rows whose requests have this forecastKey(), now and later.
    void setForecast(const std::string& key, const Result<protocol::RenderForecast>& forecast);
    /// "24 renders in 6 comparisons, about 12 min; 3 are there already". `reuse`: those take no time.
    [[nodiscard]] QString summary(bool reuse) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    [[nodiscard]] QVariant memory(int row, int role) const;

    std::vector<MatrixRow> m_rows;
    std::vector<std::string> m_keys;  // of each row
    std::map<std::string, Result<protocol::RenderForecast>> m_forecasts;
};

/// What an estimate is from, in one sentence.
QString estimateText(comparison::RenderEstimate::From from);

/// "about 45 s", "about 12 min", "about 3.4 h".
QString aboutText(double seconds);

}  // namespace reelgrid::studio
