#pragma once

#include <QObject>
#include <map>

#include "app/studio/background_thread.h"
#include "app/studio/comparison.h"

namespace reelgrid::studio {

/// Fills in what is known of the comparison's clips: reads the files beside them, and measures in the
/// background what those lack: frame correlation, and PSNR and SSIM against the sdpa clip. GUI thread.
class Measuring : public QObject {
    Q_OBJECT

  public:
    Measuring(Comparison* comparison, BackgroundThread* background, QObject* parent = nullptr);

  Q_SIGNALS:
    void problem(const QString& message);

  private:
    void lookForWork();
    void measure(const ComparedClip& clip, const std::filesystem::path& reference);

    Comparison* m_comparison;
    BackgroundThread* m_background;
    std::map<int, std::filesystem::path> m_measured;  // each clip's reference at that time
};

}  // namespace reelgrid::studio
