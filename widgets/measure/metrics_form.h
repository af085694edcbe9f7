#pragma once

#include <vector>

#include "widgets/measure/measure_form.h"

class QCheckBox;
class QLineEdit;
class QVBoxLayout;

namespace reelgrid::widgets {

/// A metric that needs weights or a program, and whether they are on this machine.
struct MetricChoice {
    QString name;     ///< as --metrics takes it
    QString measure;  ///< what is measured by it: one metric of a measure can be asked for
    QString with;     ///< what it would be computed with; empty: something is missing
    QString missing;  ///< what, and how it comes here
    bool operator==(const MetricChoice&) const = default;
};

/// Which metrics are to be computed of a comparison's clips, now and after renders. What can't be computed
/// here can't be ticked and says what it lacks; with nothing ticked nothing can be measured.
class MetricsForm : public MeasureForm {
    Q_OBJECT

  public:
    /// What was asked for before: `chosen` is ticked once it can be.
    MetricsForm(const QString& weights, QStringList chosen, bool afterRenders, QWidget* parent = nullptr);

    /// What there is; until then the form says that it is being looked for.
    void setChoices(const std::vector<MetricChoice>& choices);
    /// Why that isn't known.
    void setProblem(const QString& why);

    [[nodiscard]] QStringList chosen() const;
    [[nodiscard]] QString weights() const;
    [[nodiscard]] bool afterRenders() const;
    void setAfterRenders(bool on);
    void setWeights(const QString& folder);
    /// The metric's box; null: there is no such metric.
    [[nodiscard]] QCheckBox* box(const QString& metric) const;

    [[nodiscard]] QStringList arguments() const override;
    [[nodiscard]] QString title() const override;

  Q_SIGNALS:
    /// What can be computed is to be looked for anew.
    void weightsChanged(const QString& weights);
    /// Nothing is to be measured after renders any more, which holds without measuring anything now.
    void afterRendersEnded();

  private:
    struct Row {
        MetricChoice choice;
        QCheckBox* box;
    };
    void say(const QString& words);
    void empty();
    void addRow(const MetricChoice& choice);
    void untickOthersOf(const MetricChoice& ticked);
    void chooseFolder();
    [[nodiscard]] QString obstacle() const;

    QStringList m_wanted;
    QLineEdit* m_weights;
    QCheckBox* m_afterRenders;
    QVBoxLayout* m_column;
    std::vector<Row> m_rows;
};

}  // namespace reelgrid::widgets
