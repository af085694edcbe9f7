#pragma once

#include <QObject>
#include <filesystem>
#include <functional>
#include <vector>

#include "app/studio/measure/measure_tools.h"
#include "app/studio/measure/metric_list.h"
#include "app/studio/rendered_comparison.h"
#include "app/studio/settings.h"
#include "core/metrics/clip_metrics.h"

namespace reelgrid::studio {

/// Has reelgrid-cli compute what needs networks or other programs (LPIPS, CLIP score, VMAF, …): of the clips
/// on show when somebody asks, of every rendered comparison where that was chosen. A job like a measurement;
/// what comes out is kept beside the clips and put on show. GUI thread.
class AskedMetrics : public QObject {
    Q_OBJECT

  public:
    AskedMetrics(const MeasuredParts& parts, MeasureJobs* jobs, QWidget* window);

    /// Asks which, and computes them of the clips on show.
    widgets::MetricsForm* choose();

  private:
    /// Clips of one comparison.
    struct Order {
        std::vector<std::filesystem::path> clips;
        std::filesystem::path reference;  ///< empty: none
        std::string prompt;               ///< of clips whose own isn't known
        std::function<void()> done;       ///< once the results are on show; may be empty
    };
    void accept(const widgets::MetricsForm& form);
    void afterRenders(const RenderedComparison& settled);
    void compute(Order order, QStringList metrics, const QString& weights);
    void take(const QByteArray& document, const std::function<void()>& done);
    void putOnShow(const std::filesystem::path& clip, const metrics::ClipMetrics& measured);
    [[nodiscard]] Order onShow() const;

    MeasuredParts m_parts;
    MeasureJobs* m_jobs;
    QWidget* m_window;
    Settings m_settings;
};

}  // namespace reelgrid::studio
