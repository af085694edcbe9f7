#include "app/studio/measure/metric_list.h"

#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/protocol/field_reader.h"

namespace reelgrid::studio {

namespace {

using nlohmann::json;

constexpr std::size_t kMostMetrics = 1000;

}  // namespace

Result<std::vector<widgets::MetricChoice>> metricChoicesFrom(const QByteArray& document) {
    const auto parsed = parseJson(document.toStdString(), "metrics --list");
    if (!parsed) return parsed.error();
    if (!parsed->is_object()) return Error{ErrorCode::InvalidData, "metrics --list: an object was needed"};
    protocol::FieldReader fields(*parsed, "metrics --list", ErrorCode::InvalidData);
    const json* list = fields.array("metrics", kMostMetrics, true);
    if (auto read = fields.finish(); !read) return read.error();
    std::vector<widgets::MetricChoice> choices;
    for (const json& each : *list) {
        if (!each.is_object())
            return Error{ErrorCode::InvalidData,
                         "metrics --list: " + showJson(each) + ": an object was needed"};
        std::string name, measure, with, missing;
        protocol::FieldReader row(each, "metric", ErrorCode::InvalidData);
        row.requireText("name", name);
        row.requireText("measure", measure);
        row.text("with", with);
        row.text("missing", missing);
        if (auto read = row.finish(); !read) return read.error();
        choices.push_back({QString::fromStdString(name), QString::fromStdString(measure),
                           QString::fromStdString(with), QString::fromStdString(missing)});
    }
    return choices;
}

MetricList::MetricList(QObject* parent) : QObject(parent) {}

MetricList::~MetricList() {
    if (m_process == nullptr) return;
    m_process->disconnect(this);
    m_process->kill();
    m_process->waitForFinished();
}

void MetricList::ask(const std::filesystem::path& program, const QString& weights) {
    if (m_process != nullptr) {
        m_process->disconnect(this);
        connect(m_process, &QProcess::finished, m_process, &QObject::deleteLater);
        m_process->kill();
    }
    m_process = new QProcess(this);
    connect(m_process, &QProcess::finished, this, &MetricList::take);
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            Q_EMIT failed(m_process->program() + ": " + m_process->errorString());
    });
    QStringList words{"metrics", "--list", "--json"};
    if (!weights.isEmpty()) words << "--metric-weights=" + weights;
    m_process->start(QString::fromStdString(program.string()), words, QIODevice::ReadOnly);
}

void MetricList::take(int exitCode, QProcess::ExitStatus status) {
    const QByteArray document = m_process->readAllStandardOutput();
    const QString said = QString::fromUtf8(m_process->readAllStandardError()).trimmed();
    m_process->deleteLater();
    m_process = nullptr;
    if (exitCode != 0 || status != QProcess::NormalExit)
        return Q_EMIT failed(said.isEmpty() ? tr("reelgrid-cli ended with code %1").arg(exitCode) : said);
    const auto choices = metricChoicesFrom(document);
    if (choices)
        Q_EMIT listed(*choices);
    else
        Q_EMIT failed(QString::fromStdString(choices.error().message));
}

}  // namespace reelgrid::studio
