#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QObject>
#include <QStringList>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "app/studio/background_thread.h"

namespace reelgrid::studio {

/// A comparison in the results folder.
struct RecentComparison {
    std::filesystem::path folder;
    QString prompt;
    QStringList backends;
    QDateTime when;
    QString details{};     ///< model, seed, steps, size, as far as they are asked for
    QByteArray picture{};  ///< a JPEG of its first clip's middle; empty when that can't be read
};

/// The newest comparisons in `results`, the newest first, with their pictures. Folders that hold none are
/// passed over; those of `known` that haven't changed are taken as they are. Blocks; for a background thread.
std::vector<RecentComparison> findRecentComparisons(const std::filesystem::path& results,
                                                    const std::stop_token& stop,
                                                    const std::vector<RecentComparison>& known = {});

/// Knows the comparisons of a results folder, as of the last look. GUI thread; looks in the background.
class RecentComparisons : public QObject {
    Q_OBJECT

  public:
    explicit RecentComparisons(QObject* parent = nullptr) : QObject(parent) {}

    /// Looks again; ends with changed(), and with failed() where the folder can't be read.
    void look(const std::filesystem::path& results);
    [[nodiscard]] const std::vector<RecentComparison>& all() const { return m_all; }

  Q_SIGNALS:
    void changed();
    void failed(const QString& message);

  private:
    std::vector<RecentComparison> m_all;
    BackgroundThread m_background{BackgroundThread::Priority::Low};
};

}  // namespace reelgrid::studio
