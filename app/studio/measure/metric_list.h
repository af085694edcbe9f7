#pragma once

#include <QObject>
#include <QProcess>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "widgets/measure/metrics_form.h"

namespace reelgrid::studio {

/// Asks reelgrid-cli which metrics can be computed here, without waiting: looking for an FFmpeg and for
/// weights takes a while. GUI thread.
class MetricList : public QObject {
    Q_OBJECT

  public:
    explicit MetricList(QObject* parent = nullptr);
    ~MetricList() override;

    /// `weights`: what --metric-weights says. An earlier question that isn't answered yet is dropped.
    void ask(const std::filesystem::path& program, const QString& weights);

  Q_SIGNALS:
    // One of these.
    void listed(const std::vector<reelgrid::widgets::MetricChoice>& choices);
    void failed(const QString& why);

  private:
    void take(int exitCode, QProcess::ExitStatus status);

    QProcess* m_process = nullptr;
};

/// What `metrics --list --json` printed.
Result<std::vector<widgets::MetricChoice>> metricChoicesFrom(const QByteArray& document);

}  // namespace reelgrid::studio
