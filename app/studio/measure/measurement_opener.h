#pragma once

#include <QObject>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "app/studio/background_thread.h"
#include "app/studio/measure/measurement_window.h"
#include "app/studio/suite/opened_suite.h"

namespace reelgrid::studio {

/// What opening a file takes.
enum class OpenWith {
    Others,    ///< it is no measurement's
    Document,  ///< JSON: perhaps a measurement or a suite, else a session; or a suite's folder
    Trace,     ///< reelgrid-cli profile
    Capture,   ///< reelgrid-cli captures show
    Captures,  ///< reelgrid-cli captures list
};

/// By name, what lies in a folder, and the beginning of a file. Looks at the disk, not at whole files.
OpenWith openWith(const std::filesystem::path& path);

/// Reads measurements, and suites, in the background. GUI thread.
class MeasurementOpener : public QObject {
    Q_OBJECT

  public:
    MeasurementOpener(BackgroundThread* background, QObject* parent);

    using Taken = std::function<void(const ReadMeasurement&)>;
    /// What reelgrid-cli printed. A document that isn't one is told as `failed`.
    void read(const QString& name, const QByteArray& document, Taken taken);
    /// A file of such a document, or a suite's; another JSON file is told as `notMeasured`.
    void readFile(const std::filesystem::path& file);

  Q_SIGNALS:
    void opened(const reelgrid::studio::ReadMeasurement& read);
    void suiteOpened(const reelgrid::studio::OpenedSuite& suite);
    void notMeasured(const std::filesystem::path& file);
    void failed(const QString& message);

  private:
    /// Called on the background thread.
    BackgroundThread::Completion suiteCompletion(const std::filesystem::path& file,
                                                 const nlohmann::json& document);

    BackgroundThread* m_background;
};

}  // namespace reelgrid::studio
