#pragma once

#include <QByteArray>
#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>
#include <filesystem>

namespace reelgrid::studio {

/// How far a run is, as reelgrid-cli says it.
struct MeasureProgress {
    QString words;
    double share = -1;       ///< 0 to 1 of the stage; negative: not known
    double etaSeconds = -1;  ///< negative: not known
};

/// "fav2: decode 3/10, 0:07 left" as what it says.
MeasureProgress progressFrom(const QString& line);

/// One run of reelgrid-cli that prints one JSON document. GUI thread; never waits but in its destructor,
/// which ends the run.
class MeasureJob : public QObject {
    Q_OBJECT

  public:
    explicit MeasureJob(QObject* parent = nullptr);
    ~MeasureJob() override;

    void start(const std::filesystem::path& program, const QStringList& arguments);
    /// Asks it to end, and ends it when it doesn't; `cancelled` comes once it has.
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_process.state() != QProcess::NotRunning; }
    /// What it said last on stderr, for a person to read.
    [[nodiscard]] QString log() const { return m_said.join('\n'); }

  Q_SIGNALS:
    void progressed(const reelgrid::studio::MeasureProgress& progress);
    // One of these, once.
    void finished(const QByteArray& document);
    void failed(const QString& message);
    void cancelled();

  private:
    void takeOutput();
    void takeErrors();
    void end(int exitCode, QProcess::ExitStatus status);
    [[nodiscard]] QString whyItFailed(int exitCode, QProcess::ExitStatus status) const;

    QProcess m_process;
    QTimer m_killer;
    QByteArray m_output;
    QByteArray m_line;   ///< of stderr, so far
    QStringList m_said;  ///< lines of stderr but progress
    bool m_isCancelled = false;
    bool m_isTooLarge = false;
};

}  // namespace reelgrid::studio
