#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "core/suite/suite_result.h"

namespace reelgrid::studio {

/// An axis as people call it: "Prompt", "Backend", or the request's field.
QString axisTitle(const std::string& key);
/// A value of an axis: the suite's file's own text, of a fraction by the locale.
QString axisValueText(const nlohmann::json& value);
/// A measure likewise, with its unit.
QString measureTitle(const suite::SuiteMeasure& measure);
/// "41.20", by the locale.
QString numberText(double value, const suite::SuiteMeasure& measure);

/// The clips of a suite: where each is on the axes, what was measured of it, why it isn't there.
class SuiteTable : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit SuiteTable(std::shared_ptr<const suite::SuiteResult> suite, QObject* parent = nullptr);

    enum class Mark {
        Worst,   ///< one of the lowest PSNR of an axis's value
        Missed,  ///< short of the gate
        Failed
    };
    [[nodiscard]] bool has(int row, Mark mark) const;
    [[nodiscard]] const suite::SuiteRow& row(int row) const { return m_suite->rows[std::size_t(row)]; }
    [[nodiscard]] int columnOfAxis(const std::string& key) const;  ///< −1: there is none
    [[nodiscard]] int columnOfMeasure(const std::string& key) const;

    /// What a column is sorted by: a number or a text, invalid where there is nothing.
    static constexpr int kSortRole = Qt::UserRole;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    [[nodiscard]] QVariant axisData(std::size_t row, std::size_t axis, int role) const;
    [[nodiscard]] QVariant measureData(std::size_t row, const suite::SuiteMeasure& measure, int role) const;
    [[nodiscard]] QVariant errorData(std::size_t row, int role) const;

    std::shared_ptr<const suite::SuiteResult> m_suite;
    std::vector<const suite::SuiteMeasure*> m_measures;  // those that any clip has
    std::set<std::size_t> m_worst;
    int m_errors = 0;  // columns of errors: none where there are none
};

/// Its rows in the order of a column, what has nothing there last; all, or those with a mark; those with some
/// words.
class SuiteOrder : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    explicit SuiteOrder(SuiteTable* table, QObject* parent = nullptr);
    void showOnly(std::optional<SuiteTable::Mark> mark);
    void lookFor(const QString& words);
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  protected:
    [[nodiscard]] bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

  private:
    SuiteTable* m_table;
    std::optional<SuiteTable::Mark> m_mark;
    QStringList m_words;
};

}  // namespace reelgrid::studio
