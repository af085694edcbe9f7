#pragma once

#include <QObject>
#include <map>
#include <memory>

#include "app/studio/background_thread.h"
#include "app/studio/comparison.h"
#include "core/comparison/clip_measurer.h"

namespace reelgrid::studio {

/// Fills in what is known of the comparison's clips: reads the files beside them, and measures in the
/// background what those lack: scores, and the drift from the reference clip. GUI thread.
class Measuring : public QObject {
    Q_OBJECT

  public:
    explicit Measuring(Comparison* comparison, QObject* parent = nullptr);

  Q_SIGNALS:
    void problem(const QString& message);

  private:
    void lookForWork();
    void forget(int id);
    void read(const ComparedClip& clip, const ComparedClip* reference);
    void show(const ComparedClip& clip, const ClipFacts& facts);
    /// Whether a clip is still to be measured against that reference.
    [[nodiscard]] bool isDue(int id, int referenceId) const;
    void measure(int id, const std::filesystem::path& clip, ClipFacts facts,
                 const std::filesystem::path& reference, int referenceId);

    Comparison* m_comparison;
    BackgroundThread m_reader;  // of files: their times are there at once
    BackgroundThread m_background{BackgroundThread::Priority::Low};
    std::map<int, int> m_measured;  // each clip's reference at that time; 0: there was none
};

}  // namespace reelgrid::studio
