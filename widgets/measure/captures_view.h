#pragma once

#include <QWidget>

#include "core/measurements/capture_results.h"
#include "widgets/measure/kept_map_form.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QTimer;

namespace reelgrid::widgets {

class CaptureDetailsView;
class ResultTable;

/// The captures of a folder, and what is in the one that is chosen, which somebody else reads.
class CapturesView : public QWidget {
    Q_OBJECT

  public:
    explicit CapturesView(measurements::CaptureList list, QWidget* parent = nullptr);
    /// With one capture, whose details are known.
    explicit CapturesView(const measurements::CaptureDetails& details, QWidget* parent = nullptr);

    /// The sparse backends whose maps of kept blocks can be asked for.
    void setSparseBackends(const std::vector<SparseBackend>& backends);
    /// Asks for the first capture's details.
    void chooseFirst();
    void setDetails(const measurements::CaptureDetails& details);
    /// `share`: 0 to 1; negative: not known.
    void setReading(const QString& words, double share);
    void setProblem(const QString& problem);
    /// Empty while nothing is wrong.
    [[nodiscard]] QString problem() const;

  Q_SIGNALS:
    /// Another capture, head or map was chosen: what was asked for before is not needed any more. `map`:
    /// words of the command line, none without a map.
    void detailsRequested(const QString& file, int head, const QStringList& map);
    void cancelRequested();
    /// Of all captures in the folder.
    void benchmarkRequested(const QString& folder);

  private:
    void request();
    void setBusy(bool busy);

    measurements::CaptureList m_list;
    ResultTable* m_table;
    QSpinBox* m_head;
    KeptMapForm* m_map;
    QLabel* m_status;
    QProgressBar* m_progress;
    QPushButton* m_cancel;
    CaptureDetailsView* m_details;
    QTimer* m_soon;  ///< a selection that runs through the list reads the last one alone
    QString m_problem;
};

}  // namespace reelgrid::widgets
