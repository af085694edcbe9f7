#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <map>
#include <thread>
#include <vector>

#include "app/studio/view_export.h"
#include "core/media/stitch.h"

namespace reelgrid::studio {

/// Writes comparisons as one labelled video each, on threads of their own. GUI thread.
class GridExport : public QObject {
    Q_OBJECT

  public:
    explicit GridExport(QObject* parent = nullptr);
    ~GridExport() override;

    /// Returns the export's id; it ends with finished() or failed().
    QString start(std::vector<media::LabelledClip> clips, const std::filesystem::path& output,
                  const media::StitchOptions& options);
    /// What is seen, as exportView() writes it.
    QString start(SeenView view, const std::filesystem::path& output);
    void cancel(const QString& id);

  Q_SIGNALS:
    void started(const QString& id, const QString& output);
    void progressed(const QString& id, int framesDone, int frameCount);
    void finished(const QString& id, const QString& output, int frameCount);
    void failed(const QString& id, const QString& message);
    void cancelled(const QString& id);
    /// Something that a finished one lacks.
    void remarked(const QString& message);

  private:
    using Progress = std::function<void(int framesDone, int frameCount)>;
    using Work =
        std::function<Result<media::StitchedGrid>(const std::stop_token& stop, const Progress& progress)>;
    QString run(Work work, const std::filesystem::path& output);
    void end(const QString& id, const Result<media::StitchedGrid>& result, const QString& output);

    std::map<QString, std::jthread> m_running;
    int m_count = 0;
};

}  // namespace reelgrid::studio
