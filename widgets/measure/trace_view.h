#pragma once

#include <QWidget>

#include "core/measurements/trace_results.h"

namespace reelgrid::widgets {

/// What `profile` says of a trace: groups, what to try, stages and steps, operators.
class TraceView : public QWidget {
    Q_OBJECT

  public:
    explicit TraceView(const measurements::TraceSummary& summary, QWidget* parent = nullptr);
};

/// What `profile` says of two traces: what changed, the most first.
class TraceComparisonView : public QWidget {
    Q_OBJECT

  public:
    explicit TraceComparisonView(const measurements::TraceComparison& comparison, QWidget* parent = nullptr);
};

}  // namespace reelgrid::widgets
