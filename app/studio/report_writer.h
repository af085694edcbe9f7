#pragma once

#include <QObject>
#include <filesystem>

#include "app/studio/background_thread.h"
#include "app/studio/session_report.h"

namespace reelgrid::studio {

/// What becomes of a file under the report's name that is no report of ours: it is replaced only where
/// somebody chose it.
enum class Foreign { Keep, Replace };

/// Writes reports in the background. GUI thread.
class ReportWriter : public QObject {
    Q_OBJECT

  public:
    explicit ReportWriter(BackgroundThread* background, QObject* parent = nullptr)
        : QObject(parent), m_background(background) {}

    /// Ends with saved() or failed(); with neither where a foreign file was kept.
    void write(const ReportedComparison& comparison, const std::filesystem::path& file, Foreign foreign);

  Q_SIGNALS:
    void saved(const std::filesystem::path& file);
    void failed(const QString& message);

  private:
    BackgroundThread* m_background;
};

}  // namespace reelgrid::studio
