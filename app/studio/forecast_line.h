#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/studio/background_thread.h"
#include "core/base/result.h"
#include "core/comparison/earlier_renders.h"
#include "core/protocol/render_forecast.h"

namespace reelgrid::widgets {
class RequestEditor;
}  // namespace reelgrid::widgets

namespace reelgrid::studio {

class RenderController;

/// Says beside the editor's button what the renders will take, soon after each edit: time by earlier renders,
/// memory by the worker. GUI thread; looks in the background.
class ForecastLine : public QObject {
    Q_OBJECT

  public:
    ForecastLine(widgets::RequestEditor* editor, RenderController* renders, QObject* parent = nullptr);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void askAnew();
    void ask();
    void askForMemory();
    void askForTime();
    void show();

    widgets::RequestEditor* m_editor;
    RenderController* m_renders;
    QTimer m_due;
    std::string m_memoryKey;  // of the memory that is shown or asked for
    int m_question = 0;       // the last about time
    std::optional<Result<protocol::RenderForecast>> m_memory;
    QString m_time, m_timeFrom;
    /// Read anew once renders have ended; used by the background thread alone.
    std::shared_ptr<std::optional<comparison::EarlierRenders>> m_earlier;
    BackgroundThread m_background{BackgroundThread::Priority::Low};
};

}  // namespace reelgrid::studio
