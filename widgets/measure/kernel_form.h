#pragma once

#include "widgets/measure/measure_form.h"

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace reelgrid::widgets {

/// What `bench attention` is to measure.
class KernelForm : public MeasureForm {
    Q_OBJECT

  public:
    KernelForm(const std::vector<BackendChoice>& backends, const QStringList& devices,
               QWidget* parent = nullptr);
    /// A folder of captures, a preset's name, or B,H,N,D[,Nk].
    void setInput(const QString& input);
    void setBackends(const QStringList& names) { m_backends->setChecked(names); }
    [[nodiscard]] QStringList arguments() const override;
    [[nodiscard]] QString title() const override;

  private:
    void chooseFolder();
    [[nodiscard]] bool isFolder() const;

    QComboBox* m_input;
    QComboBox* m_distribution;
    QComboBox* m_dtype;
    QComboBox* m_device;
    QSpinBox* m_repetitions;
    QSpinBox* m_mostInputs;
    QCheckBox* m_causal;
    BackendBoxes* m_backends;
};

}  // namespace reelgrid::widgets
