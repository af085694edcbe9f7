#pragma once

#include <QPointer>
#include <filesystem>
#include <functional>

#include "app/studio/measure/measure_job.h"
#include "app/studio/measure/measurement_opener.h"
#include "widgets/measure/captures_view.h"

namespace reelgrid::studio {

/// Has the captures read that are chosen in one window, the last one chosen alone: whoever goes through a
/// list waits for no other. Ends with the window.
class CaptureReading : public QObject {
    Q_OBJECT

  public:
    using FindProgram = std::function<Result<std::filesystem::path>()>;
    CaptureReading(MeasurementWindow* window, widgets::CapturesView* view, MeasurementOpener* opener,
                   FindProgram findProgram);

  private:
    void read(const QString& file, int head, const QStringList& map);
    void stop();
    void show(const QString& file, const QByteArray& document);

    MeasurementWindow* m_window;
    widgets::CapturesView* m_view;
    MeasurementOpener* m_opener;
    FindProgram m_findProgram;
    QPointer<MeasureJob> m_job;
};

}  // namespace reelgrid::studio
