#include "app/studio/measure/asked_metrics.h"

#include <QDialog>
#include <nlohmann/json.hpp>

#include "app/studio/background_thread.h"
#include "app/studio/comparison.h"
#include "app/studio/dialogs.h"
#include "app/studio/render_controller.h"
#include "app/studio/session_controller.h"
#include "core/base/json.h"
#include "core/metrics/added_measures.h"
#include "core/metrics/asked_metrics.h"
#include "core/protocol/attention_call.h"
#include "core/result/metrics_file.h"
#include "widgets/panels/issue_panel.h"

namespace reelgrid::studio {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr QSize kMetricsFormSize(640, 680);

struct Measured {
    fs::path clip;
    metrics::ClipMetrics metrics;
};

/// What `metrics --keep --json` printed, clip by clip; a problem for each that it couldn't measure.
std::vector<Measured> measuredIn(const json& document, QStringList& problems) {
    std::vector<Measured> all;
    const auto list = document.find("clips");
    if (list == document.end() || !list->is_array()) return all;
    for (const json& each : *list) {
        const json clip = each.is_object() ? each.value("clip", json()) : json();
        const json metrics = each.is_object() ? each.value("metrics", json()) : json();
        if (!clip.is_string() || !metrics.is_object()) continue;
        auto read = result::metricsFromJson(metrics);
        if (read)
            all.push_back({clip.get<std::string>(), *std::move(read)});
        else
            problems << QString::fromStdString(clip.get<std::string>() + ": " + read.error().message);
    }
    return all;
}

QString wordFor(const fs::path& clip) {
    return QString::fromStdString(fs::absolute(clip).lexically_normal().string());
}

bool needsReference(const QString& metric) {
    for (const metrics::AskedMetric& each : metrics::kAskedMetrics)
        if (metric == each.name) return each.needsReference;
    return false;
}

}  // namespace

AskedMetrics::AskedMetrics(const MeasuredParts& parts, MeasureJobs* jobs, QWidget* window)
    : QObject(window), m_parts(parts), m_jobs(jobs), m_window(window) {
    connect(parts.renders, &RenderController::comparisonSettled, this,
            [this](const RenderedComparison& settled, bool) { afterRenders(settled); });
}

widgets::MetricsForm* AskedMetrics::choose() {
    auto* form = new widgets::MetricsForm(m_settings.metricWeights(), m_settings.metrics(),
                                          m_settings.isOn("metrics-after-renders", false));
    auto* list = new MetricList(form);
    connect(list, &MetricList::listed, form, &widgets::MetricsForm::setChoices);
    connect(list, &MetricList::failed, form, &widgets::MetricsForm::setProblem);
    const auto look = [this, form, list] {
        if (const auto program = m_jobs->program())
            list->ask(*program, form->weights());
        else
            form->setProblem(QString::fromStdString(program.error().message));
    };
    connect(form, &widgets::MetricsForm::weightsChanged, list, look);
    look();
    connect(form, &widgets::MetricsForm::afterRendersEnded, this,
            [this] { m_settings.setOn("metrics-after-renders", false); });
    QDialog* dialog = showInDialog(m_window, tr("Compute metrics"), form);
    dialog->resize(kMetricsFormSize);
    connect(form, &widgets::MeasureForm::submitted, this, [this, form] { accept(*form); });
    connect(form, &widgets::MeasureForm::submitted, dialog, &QDialog::close);
    return form;
}

void AskedMetrics::accept(const widgets::MetricsForm& form) {
    m_settings.setMetrics(form.chosen());
    m_settings.setMetricWeights(form.weights());
    m_settings.setOn("metrics-after-renders", form.afterRenders());
    if (form.chosen().isEmpty()) return;
    Order order = onShow();
    if (!order.clips.empty()) return compute(std::move(order), form.chosen(), form.weights());
    if (!form.afterRenders())
        m_parts.issues->addIssue(tr("Metrics: no clip is on show, at least one was needed"));
}

AskedMetrics::Order AskedMetrics::onShow() const {
    Order order;
    for (const ComparedClip& clip : m_parts.comparison->clips())
        if (clip.onDisk && !clip.status.failed) order.clips.push_back(clip.path);
    if (const ComparedClip* reference = m_parts.comparison->reference()) order.reference = reference->path;
    order.prompt = m_parts.sessions->request().prompt;
    return order;
}

void AskedMetrics::afterRenders(const RenderedComparison& settled) {
    if (!m_settings.isOn("metrics-after-renders", false)) return;
    const QStringList chosen = m_settings.metrics();
    Order order;
    for (const session::SessionClip& clip : settled.session.clips) {
        order.clips.push_back(clip.path);
        if (order.reference.empty() && clip.attentionType == protocol::kReferenceBackend)
            order.reference = clip.path;
    }
    order.prompt = settled.session.request.prompt;
    if (chosen.isEmpty() || order.clips.empty()) return;
    order.done = [this, settled] { m_parts.sessions->renewReport(settled); };
    compute(std::move(order), chosen, m_settings.metricWeights());
}

void AskedMetrics::compute(Order order, QStringList metrics, const QString& weights) {
    if (order.reference.empty()) {
        QStringList alone;
        for (const QString& metric : metrics)
            needsReference(metric)
                ? m_parts.issues->addIssue(tr("Metrics: %1 compares with %2, and no clip by it is here")
                                               .arg(metric, protocol::kReferenceBackend.c_str()))
                : alone.append(metric);
        metrics = alone;
    }
    if (metrics.isEmpty()) return;
    QStringList words{"metrics", "--json", "--keep", "--metrics=" + metrics.join(',')};
    if (!weights.isEmpty()) words << "--metric-weights=" + weights;
    if (!order.reference.empty()) words << "--reference=" + wordFor(order.reference);
    if (!order.prompt.empty()) words << "--prompt=" + QString::fromStdString(order.prompt);
    for (const fs::path& clip : order.clips) words << wordFor(clip);
    m_jobs->start({tr("Metrics: %1").arg(metrics.join(", ")),
                   words,
                   MeasureOrder::Turn::Waits,
                   {},
                   [this, done = order.done](const QByteArray& document) { take(document, done); }});
}

void AskedMetrics::take(const QByteArray& document, const std::function<void()>& done) {
    m_parts.background->run([this, document, done](const std::stop_token&) -> BackgroundThread::Completion {
        QStringList problems;
        std::vector<Measured> all;
        if (const auto parsed = parseJson(document.toStdString(), "metrics"); !parsed)
            problems << QString::fromStdString(parsed.error().message);
        else if (parsed->is_object())
            all = measuredIn(*parsed, problems);
        return [this, problems, all = std::move(all), done] {
            for (const QString& problem : problems) m_parts.issues->addIssue(problem);
            for (const Measured& each : all) putOnShow(each.clip, each.metrics);
            if (done) done();
        };
    });
}

void AskedMetrics::putOnShow(const fs::path& clip, const metrics::ClipMetrics& measured) {
    for (const ComparedClip& shown : std::vector(m_parts.comparison->clips())) {
        if (!shown.facts || fs::absolute(shown.path).lexically_normal() != clip) continue;
        ClipFacts facts = *shown.facts;
        metrics::addMeasures(measured, facts.result.metrics);
        m_parts.comparison->setFacts(shown.id, std::move(facts));
    }
}

}  // namespace reelgrid::studio
