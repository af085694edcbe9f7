#pragma once

#include "widgets/measure/measure_form.h"

class QComboBox;
class QLineEdit;
class QSpinBox;

namespace reelgrid::widgets {

/// What `bench vae` is to measure.
class VaeForm : public MeasureForm {
    Q_OBJECT

  public:
    VaeForm(const QString& model, const QStringList& devices, QWidget* parent = nullptr);
    [[nodiscard]] QStringList arguments() const override;
    [[nodiscard]] QString title() const override;

  private:
    QLineEdit* m_model;
    QSpinBox* m_frames;
    QLineEdit* m_size;
    QSpinBox* m_tile;
    QSpinBox* m_warmup;
    QSpinBox* m_repetitions;
    QComboBox* m_device;
    BackendBoxes* m_configurations;
};

}  // namespace reelgrid::widgets
