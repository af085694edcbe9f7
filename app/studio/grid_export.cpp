#include "app/studio/grid_export.h"

#include <utility>

#include "core/comparison/compared_frames.h"

namespace reelgrid::studio {

GridExport::GridExport(QObject* parent) : QObject(parent) {}

GridExport::~GridExport() {
    for (auto& [id, thread] : m_running) thread.request_stop();
}

QString GridExport::start(std::vector<media::LabelledClip> clips, const std::filesystem::path& output,
                          const media::StitchOptions& options) {
    return run(
        [clips = std::move(clips), output, options](const std::stop_token& stop,
                                                    const Progress& progress) mutable {
            for (media::LabelledClip& clip : clips)
                clip.soundFile = std::exchange(clip.path, comparison::comparedFrames(clip.path, stop).file);
            return media::stitch(clips, output, options, stop, progress);
        },
        output);
}

QString GridExport::start(SeenView view, const std::filesystem::path& output) {
    return run(
        [view = std::move(view), output](const std::stop_token& stop, const Progress& progress) {
            return exportView(view, output, stop, progress);
        },
        output);
}

QString GridExport::run(Work work, const std::filesystem::path& output) {
    const QString id = QString("export-%1").arg(++m_count);
    const QString name = QString::fromStdString(output.string());
    Q_EMIT started(id, name);
    m_running[id] = std::jthread([this, id, name, work = std::move(work)](const std::stop_token& stop) {
        const auto progress = [this, id](int done, int count) {
            QMetaObject::invokeMethod(this, [this, id, done, count] { Q_EMIT progressed(id, done, count); });
        };
        // No exception may end the program from here: the library's are all Results, memory may run out.
        Result<media::StitchedGrid> result = Error{ErrorCode::OutOfMemory, "export: not enough memory"};
        try {
            result = work(stop, progress);
        } catch (const std::bad_alloc&) {
        }
        QMetaObject::invokeMethod(this,
                                  [this, id, name, result = std::move(result)] { end(id, result, name); });
    });
    return id;
}

void GridExport::cancel(const QString& id) {
    const auto running = m_running.find(id);
    if (running != m_running.end()) running->second.request_stop();
}

void GridExport::end(const QString& id, const Result<media::StitchedGrid>& result, const QString& output) {
    m_running.erase(id);
    if (result && !result->soundRemark.empty()) Q_EMIT remarked(QString::fromStdString(result->soundRemark));
    if (result)
        Q_EMIT finished(id, output, result->frameCount);
    else if (result.error().code == ErrorCode::Cancelled)
        Q_EMIT cancelled(id);
    else
        Q_EMIT failed(id, QString::fromStdString(result.error().message));
}

}  // namespace reelgrid::studio
