#pragma once

#include <QByteArray>
#include <QWidget>

#include "core/measurements/measurement_file.h"

class QLabel;

namespace reelgrid::studio {

/// A measurement as it was read: what it says, and its document, which can be saved and opened again.
struct ReadMeasurement {
    QString name;  ///< of its file or what was measured
    QByteArray document;
    measurements::Measurement measurement;
};

/// The view that belongs to a measurement.
QWidget* makeView(const measurements::Measurement& measurement);

/// A window of its own with a measurement's view; its document can be saved.
class MeasurementWindow : public QWidget {
    Q_OBJECT

  public:
    MeasurementWindow(const ReadMeasurement& read, QWidget* parent);
    [[nodiscard]] QWidget* view() const { return m_view; }
    [[nodiscard]] const QByteArray& document() const { return m_document; }
    /// Of one capture, another head of which may be shown.
    [[nodiscard]] bool isOfOneCapture() const { return m_isOfOneCapture; }
    /// What is shown changed: this is its document now.
    void setDocument(const QByteArray& document) { m_document = document; }
    Result<void> saveAs(const std::filesystem::path& file);

  private:
    void askAndSave();

    QByteArray m_document;
    bool m_isOfOneCapture;
    QWidget* m_view;
    QLabel* m_status;
};

}  // namespace reelgrid::studio
