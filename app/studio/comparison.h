#pragma once

#include <QColor>
#include <QObject>
#include <QString>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "widgets/charts/coherence_chart.h"
#include "widgets/charts/timing_chart.h"

namespace reelgrid::studio {

/// One clip of the comparison: on disk, or still being rendered.
struct ComparedClip {
    int id = 0;
    QString label;
    QString backend;  ///< the attention backend; empty: taken from the label
    QColor color;
    std::filesystem::path path;  ///< of the clip; where it will be while it is being rendered
    bool onDisk = false;
    double offsetSeconds = 0;  ///< at time t it shows its own time t + offset
    QString message;           ///< shown in the tile while there is no picture
    double progress = -1;
    bool failed = false;
    std::optional<widgets::RenderTiming> timing;
    std::optional<widgets::ClipCurves> curves;
};

/// What is being compared, in the order of the grid. The window's parts watch it; GUI thread.
class Comparison : public QObject {
    Q_OBJECT

  public:
    explicit Comparison(QObject* parent = nullptr) : QObject(parent) {}

    [[nodiscard]] const std::vector<ComparedClip>& clips() const { return m_clips; }
    [[nodiscard]] const ComparedClip* find(int id) const;
    /// Gives the clip its id and its backend's colour.
    int add(ComparedClip clip);
    void change(int id, const std::function<void(ComparedClip&)>& how);
    void remove(int id);
    void clear();
    /// The clip the others are measured against: the first one by sdpa that is on disk.
    [[nodiscard]] const ComparedClip* reference() const;

  Q_SIGNALS:
    void changed();
    void clipAdded(int id);
    void clipRemoved(int id);
    void clipChanged(int id);

  private:
    std::vector<ComparedClip> m_clips;
    int m_nextId = 1;
};

}  // namespace reelgrid::studio
