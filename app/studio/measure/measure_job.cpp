#include "app/studio/measure/measure_job.h"

#include <sys/prctl.h>

#include <QProcessEnvironment>
#include <QRegularExpression>
#include <algorithm>
#include <csignal>

#include "core/measurements/measurement_file.h"

namespace reelgrid::studio {

namespace {

const QString kOwnName = QStringLiteral("reelgrid-cli: ");
constexpr int kProgressMs = 300;
/// How long a run may take to end by itself once it was asked to.
constexpr int kKillAfterMs = 8000;
constexpr int kEndMs = 1500;
constexpr qsizetype kMostLines = 200;
constexpr qsizetype kMostLineBytes = 64 << 10;

/// "1:02:03" or "0:07".
double secondsFrom(const QString& clock) {
    double seconds = 0;
    for (const QString& part : clock.split(':')) seconds = 60 * seconds + part.toDouble();
    return seconds;
}

}  // namespace

MeasureProgress progressFrom(const QString& line) {
    static const QRegularExpression left(", ([0-9:]+) left$");
    static const QRegularExpression counted(" ([0-9]+)/([0-9]+)(?=$|, )");
    MeasureProgress progress{line};
    if (const auto match = left.match(line); match.hasMatch())
        progress.etaSeconds = secondsFrom(match.captured(1));
    if (const auto match = counted.match(line); match.hasMatch() && match.captured(2).toDouble() > 0)
        progress.share = std::min(1.0, match.captured(1).toDouble() / match.captured(2).toDouble());
    return progress;
}

MeasureJob::MeasureJob(QObject* parent) : QObject(parent) {
    m_killer.setSingleShot(true);
    m_killer.setInterval(kKillAfterMs);
    connect(&m_killer, &QTimer::timeout, &m_process, &QProcess::kill);
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &MeasureJob::takeOutput);
    connect(&m_process, &QProcess::readyReadStandardError, this, &MeasureJob::takeErrors);
    connect(&m_process, &QProcess::finished, this, &MeasureJob::end);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            Q_EMIT failed(tr("%1: %2").arg(m_process.program(), m_process.errorString()));
    });
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("REELGRID_PROGRESS_MS", QString::number(kProgressMs));
    m_process.setProcessEnvironment(environment);
    // A window that is killed takes its measurements with it.
    m_process.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGTERM); });
}

MeasureJob::~MeasureJob() {
    m_process.disconnect(this);
    if (!isRunning()) return;
    m_process.terminate();
    if (!m_process.waitForFinished(kEndMs)) m_process.kill();
    m_process.waitForFinished(kEndMs);
}

void MeasureJob::start(const std::filesystem::path& program, const QStringList& arguments) {
    m_process.start(QString::fromStdString(program.string()), arguments, QIODevice::ReadOnly);
}

void MeasureJob::cancel() {
    if (!isRunning() || m_isCancelled) return;
    m_isCancelled = true;
    m_process.terminate();
    m_killer.start();
}

void MeasureJob::takeOutput() {
    m_output += m_process.readAllStandardOutput();
    if (std::size_t(m_output.size()) <= measurements::kMostBytes || m_isTooLarge) return;
    m_isTooLarge = true;
    m_process.kill();
}

void MeasureJob::takeErrors() {
    m_line += m_process.readAllStandardError();
    for (qsizetype end = m_line.indexOf('\n'); end >= 0; end = m_line.indexOf('\n')) {
        const QString line = QString::fromUtf8(m_line.left(end));
        m_line.remove(0, end + 1);
        const MeasureProgress progress = progressFrom(line);
        if (progress.share >= 0 || progress.etaSeconds >= 0) {
            Q_EMIT progressed(progress);
            continue;
        }
        if (!line.startsWith(kOwnName)) Q_EMIT progressed(progress);
        m_said << line;
        if (m_said.size() > kMostLines) m_said.removeFirst();
    }
    if (m_line.size() > kMostLineBytes) m_line.clear();
}

void MeasureJob::end(int exitCode, QProcess::ExitStatus status) {
    m_killer.stop();
    takeErrors();
    takeOutput();
    if (m_isCancelled) return Q_EMIT cancelled();
    if (m_isTooLarge || exitCode != 0 || status != QProcess::NormalExit)
        return Q_EMIT failed(whyItFailed(exitCode, status));
    Q_EMIT finished(m_output);
}

QString MeasureJob::whyItFailed(int exitCode, QProcess::ExitStatus status) const {
    if (m_isTooLarge) return tr("the result has more than %1 MB").arg(measurements::kMostBytes >> 20);
    for (auto line = m_said.rbegin(); line != m_said.rend(); ++line)
        if (line->startsWith(kOwnName)) return line->mid(kOwnName.size());
    if (status != QProcess::NormalExit) return tr("reelgrid-cli was killed (out of memory?)");
    return m_said.isEmpty() ? tr("reelgrid-cli ended with code %1").arg(exitCode) : m_said.last();
}

}  // namespace reelgrid::studio
