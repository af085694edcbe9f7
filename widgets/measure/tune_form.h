#pragma once

#include "widgets/measure/measure_form.h"

class QComboBox;
class QSpinBox;

namespace reelgrid::widgets {

/// What `tune` is to find, for a render that somebody else describes.
class TuneForm : public MeasureForm {
    Q_OBJECT

  public:
    /// `render`: the render's own options; `about`: what it is, for a person.
    TuneForm(const std::vector<BackendChoice>& backends, const QStringList& render, const QString& about,
             QWidget* parent = nullptr);
    void setBudget(const QString& budget);
    /// Without --output, which is whoever runs it to choose.
    [[nodiscard]] QStringList arguments() const override;
    [[nodiscard]] QString title() const override;

  private:
    QStringList m_render;
    QComboBox* m_budget;
    QSpinBox* m_renders;
    BackendBoxes* m_backends;
};

}  // namespace reelgrid::widgets
