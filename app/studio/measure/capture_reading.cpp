#include "app/studio/measure/capture_reading.h"

namespace reelgrid::studio {

using widgets::CapturesView;

CaptureReading::CaptureReading(MeasurementWindow* window, CapturesView* view, MeasurementOpener* opener,
                               FindProgram findProgram)
    : QObject(window),
      m_window(window),
      m_view(view),
      m_opener(opener),
      m_findProgram(std::move(findProgram)) {
    connect(view, &CapturesView::detailsRequested, this, &CaptureReading::read);
    connect(view, &CapturesView::cancelRequested, this, &CaptureReading::stop);
}

void CaptureReading::stop() {
    if (!m_job) return;
    m_job->disconnect();
    connect(m_job, &MeasureJob::cancelled, m_job, &QObject::deleteLater);
    m_job->cancel();
    m_job.clear();
}

void CaptureReading::read(const QString& file, int head, const QStringList& map) {
    stop();
    const auto program = m_findProgram();
    if (!program) return m_view->setProblem(QString::fromStdString(program.error().message));
    auto* job = new MeasureJob(this);
    m_job = job;
    connect(job, &MeasureJob::progressed, m_view,
            [this](const MeasureProgress& progress) { m_view->setReading(progress.words, progress.share); });
    connect(job, &MeasureJob::failed, m_view, [this, job](const QString& message) {
        job->deleteLater();
        m_view->setProblem(message);
    });
    connect(job, &MeasureJob::finished, this, [this, job, file](const QByteArray& document) {
        job->deleteLater();
        show(file, document);
    });
    // An absolute path, whatever the document says: one that begins with a dash would be an option.
    const std::filesystem::path path = std::filesystem::absolute(file.toStdString());
    job->start(*program, QStringList{"captures", "show", "--json", "--head=" + QString::number(head)} + map +
                             QStringList{QString::fromStdString(path.string())});
}

void CaptureReading::show(const QString& file, const QByteArray& document) {
    m_opener->read(file, document, [self = QPointer(this)](const ReadMeasurement& read) {
        const auto* details = std::get_if<measurements::CaptureDetails>(&read.measurement);
        if (!self || details == nullptr) return;
        self->m_view->setDetails(*details);
        if (self->m_window->isOfOneCapture()) self->m_window->setDocument(read.document);
    });
}

}  // namespace reelgrid::studio
