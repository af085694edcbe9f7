#include "app/studio/forecast_line.h"

#include <QEvent>
#include <QPointer>
#include <algorithm>

#include "app/studio/forecast_text.h"
#include "app/studio/matrix_table.h"
#include "app/studio/render_controller.h"
#include "core/catalog/render_settings.h"
#include "widgets/panels/request_editor.h"

namespace reelgrid::studio {

using comparison::RenderEstimate;
using widgets::RequestEditor;

namespace {
constexpr int kAskAfterMs = 250;

/// Of all backends together; nothing where one isn't known.
std::optional<RenderEstimate> timeOf(const comparison::EarlierRenders& earlier,
                                     protocol::RenderRequest request, const QStringList& backends,
                                     const families::ModelInfo& model, const machine::Machine& machine) {
    RenderEstimate sum;
    for (const QString& backend : backends) {
        request.attentionType = backend.toStdString();
        const auto settings = catalog::resolveSettings(request, model, machine);
        const auto one = settings ? earlier.estimate(model.id, *settings) : std::nullopt;
        if (!one) return std::nullopt;
        sum.seconds += one->seconds;
        sum.from = std::max(sum.from, one->from);
    }
    return sum;
}

}  // namespace

ForecastLine::ForecastLine(RequestEditor* editor, RenderController* renders, QObject* parent)
    : QObject(parent),
      m_editor(editor),
      m_renders(renders),
      m_earlier(std::make_shared<std::optional<comparison::EarlierRenders>>()) {
    m_due.setSingleShot(true);
    m_due.setInterval(kAskAfterMs);
    connect(&m_due, &QTimer::timeout, this, &ForecastLine::ask);
    connect(editor, &RequestEditor::edited, this, [this] { m_due.start(); });
    connect(editor, &RequestEditor::replaced, this, [this] { m_due.start(); });
    connect(renders, &RenderController::settled, this, &ForecastLine::askAnew);
    connect(renders, &RenderController::resultsFolderChanged, this, &ForecastLine::askAnew);
    editor->installEventFilter(this);
}

/// A side panel that was hidden was not told anything.
bool ForecastLine::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Show) m_due.start();
    return QObject::eventFilter(watched, event);
}

/// Renders that have ended tell of times, and have left memory.
void ForecastLine::askAnew() {
    m_earlier = std::make_shared<std::optional<comparison::EarlierRenders>>();
    m_memoryKey.clear();
    m_due.start();
}

void ForecastLine::ask() {
    if (!m_editor->isVisible()) return;
    if (!m_editor->problem().isEmpty()) {
        m_memoryKey.clear();
        m_memory.reset();
        m_time.clear();
        ++m_question;
        return show();
    }
    askForMemory();
    askForTime();
}

void ForecastLine::askForMemory() {
    const protocol::RenderRequest request = m_editor->request();
    const std::string key = forecastKey(request);
    if (key == m_memoryKey) return;
    m_memoryKey = key;
    m_renders->jobs().forecast(
        request, [self = QPointer(this), key](const Result<protocol::RenderForecast>& forecast) {
            if (!self || self->m_memoryKey != key) return;
            self->m_memory = forecast;
            self->show();
        });
}

void ForecastLine::askForTime() {
    m_background.run(
        [this, question = ++m_question, earlier = m_earlier, request = m_editor->request(),
         backends = m_editor->checkedBackends(), model = *m_editor->model(), machine = m_renders->machine(),
         results = m_renders->resultsFolder()](const std::stop_token& stop) -> BackgroundThread::Completion {
            if (!*earlier) earlier->emplace(results, stop);
            return [this, question, count = backends.size(),
                    time = timeOf(**earlier, request, backends, model, machine)] {
                if (question != m_question) return;
                m_time = !time        ? QString()
                         : count == 1 ? aboutText(time->seconds)
                                      : tr("%1 for %2 backends").arg(aboutText(time->seconds)).arg(count);
                m_timeFrom = time ? estimateText(time->from) : QString();
                show();
            };
        });
}

void ForecastLine::show() {
    QStringList words;
    if (!m_time.isEmpty()) words << tr("Time: %1").arg(m_time);
    if (m_memory) words << forecastText(*m_memory);
    words.removeAll(QString());
    const bool tooMuch = m_memory && isTooMuch(*m_memory);
    m_editor->setForecast(words.join('\n'),
                          tooMuch ? RequestEditor::Forecast::Warning : RequestEditor::Forecast::Plain,
                          m_timeFrom);
}

}  // namespace reelgrid::studio
