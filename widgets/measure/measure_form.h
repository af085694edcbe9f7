#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

#include "widgets/panels/backend_boxes.h"

class QFormLayout;
class QLabel;
class QPushButton;

namespace reelgrid::widgets {

/// What to measure, as the words of reelgrid-cli's command line, which checks them.
class MeasureForm : public QWidget {
    Q_OBJECT

  public:
    explicit MeasureForm(const QString& about, QWidget* parent = nullptr);
    /// The verb and its options.
    [[nodiscard]] virtual QStringList arguments() const = 0;
    /// What to call the measurement.
    [[nodiscard]] virtual QString title() const = 0;

  Q_SIGNALS:
    void submitted();

  protected:
    [[nodiscard]] QFormLayout* fields() const { return m_fields; }
    /// Disables the button that submits, whose tooltip then says why. Empty: enables it.
    void setObstacle(const QString& why);

  private:
    QFormLayout* m_fields;
    QPushButton* m_start;
};

}  // namespace reelgrid::widgets
