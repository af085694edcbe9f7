// What MeasureTools has measured: the forms that ask, and what becomes of the answers.

#include <QDateTime>
#include <QDialog>
#include <QRegularExpression>

#include "app/studio/backend_choices.h"
#include "app/studio/comparison.h"
#include "app/studio/dialogs.h"
#include "app/studio/measure/measure_tools.h"
#include "app/studio/measure/render_arguments.h"
#include "app/studio/render_controller.h"
#include "core/base/pending_file.h"
#include "core/devices/gpu_choice.h"
#include "core/plugins/plugin_list.h"
#include "core/protocol/attention_call.h"
#include "widgets/measure/kernel_form.h"
#include "widgets/measure/tune_form.h"
#include "widgets/measure/vae_form.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/request_editor.h"

namespace reelgrid::studio {

namespace {

namespace fs = std::filesystem;

constexpr QSize kFormSize(560, 620);

QStringList deviceNames(const machine::Machine& machine) {
    QStringList names;
    for (const devices::DeviceName& device : devices::usableDevices(machine.gpus))
        names << QString::fromStdString(device.text());
    return names;
}

/// The plug-ins that this window knows, for a verb that takes backends.
QStringList pluginArguments() {
    QStringList words;
    for (const std::string& word : plugins::pluginArguments()) words << QString::fromStdString(word);
    return words;
}

/// A name for what was measured now: its title as a file can have it, and the time.
std::string fileNameFor(const QString& title) {
    static const QRegularExpression unfit("[^A-Za-z0-9._-]+");
    constexpr int kLongest = 80;
    const QString when = QDateTime::currentDateTime().toString("yyyy-MM-dd_HHmmss_zzz");
    return (QString(title).replace(unfit, "-").left(kLongest) + '_' + when).toStdString();
}

}  // namespace

void MeasureTools::measure(const QString& title, const QStringList& arguments) {
    const fs::path file = resultsFolder() / (fileNameFor(title) + ".json");
    m_jobs.start({title, arguments, MeasureOrder::Turn::Waits, {}, [this, file](const QByteArray& document) {
                      readAndShow(file, document);
                      keep(file, document);
                  }});
}

void MeasureTools::keep(const fs::path& file, const QByteArray& document) {
    m_parts.background->run([this, file, document](const std::stop_token&) -> BackgroundThread::Completion {
        const auto saved = writeFile(file, {document.constData(), std::size_t(document.size())});
        return [this, saved] {
            if (!saved) m_parts.issues->addIssue(QString::fromStdString(saved.error().message));
        };
    });
}

void MeasureTools::startTuning(const QString& title, const QStringList& arguments) {
    const fs::path folder = resultsFolder() / fileNameFor(title);
    const fs::path policy = folder / "policy.json";
    const QString output = "--output=" + QString::fromStdString(policy.string());
    m_jobs.start({title, arguments + QStringList{output}, MeasureOrder::Turn::Waits, folder,
                  [this, policy](const QByteArray& document) { readAndShow(policy, document); }});
}

/// Of the clips on show, or those that are checked; sdpa is what they are held against.
QStringList MeasureTools::backendsToMap() const {
    QStringList known;
    for (const widgets::BackendChoice& choice : backendChoices(m_parts.renders->machine()))
        if (choice.name.toStdString() != protocol::kReferenceBackend) known << choice.name;
    const auto among = [&](const QStringList& names) {
        QStringList chosen;
        for (const QString& name : names)
            if (known.contains(name) && !chosen.contains(name)) chosen << name;
        return chosen;
    };
    QStringList shown;
    for (const ComparedClip& clip : m_parts.comparison->clips()) shown << clip.backend;
    const QStringList chosen = among(shown);
    return chosen.isEmpty() ? among(m_parts.editor->checkedBackends()) : chosen;
}

void MeasureTools::makeErrorMaps() {
    const QStringList backends = backendsToMap();
    if (const QString problem = m_parts.editor->problem(); !problem.isEmpty() || backends.isEmpty())
        return m_parts.issues->addIssue(
            tr("Error maps: no clip on show has them, and they can't be made: %1")
                .arg(problem.isEmpty() ? tr("no backend but sdpa is on show or checked") : problem));
    const protocol::RenderRequest request = m_parts.editor->request();
    const QString title = tr("Error maps: %1").arg(QString::fromStdString(request.prompt));
    const fs::path folder = resultsFolder() / fileNameFor(title);
    const fs::path clip = folder / "sdpa.mp4";
    const QStringList arguments = QStringList{"render", "--json"} + renderArguments(request) +
                                  QStringList{"--attention-type=sdpa", "--lockstep=" + backends.join(','),
                                              "--output=" + QString::fromStdString(clip.string())} +
                                  pluginArguments();
    m_jobs.start({title, arguments, MeasureOrder::Turn::Waits, folder, [this, clip](const QByteArray&) {
                      m_opener.readFile(fs::path(clip).replace_extension(".files") / "metrics.json");
                  }});
}

void MeasureTools::showForm(widgets::MeasureForm* form, const QString& title) {
    QDialog* dialog = showInDialog(m_window, title, form);
    dialog->resize(kFormSize);
    connect(form, &widgets::MeasureForm::submitted, dialog, &QDialog::close);
}

widgets::KernelForm* MeasureTools::measureKernels() {
    const machine::Machine machine = m_parts.renders->machine();
    auto* form = new widgets::KernelForm(backendChoices(machine), deviceNames(machine));
    connect(form, &widgets::MeasureForm::submitted, this,
            [this, form] { measure(form->title(), form->arguments() + pluginArguments()); });
    showForm(form, tr("Kernel benchmark"));
    return form;
}

widgets::VaeForm* MeasureTools::measureVae() {
    const std::string model = m_parts.editor->request().model;
    auto* form = new widgets::VaeForm(QString::fromStdString(model), deviceNames(m_parts.renders->machine()));
    connect(form, &widgets::MeasureForm::submitted, this,
            [this, form] { measure(form->title(), form->arguments()); });
    showForm(form, tr("VAE benchmark"));
    return form;
}

widgets::TuneForm* MeasureTools::tune() {
    const protocol::RenderRequest request = m_parts.editor->request();
    const QString about = tr("as in the request editor: %1").arg(QString::fromStdString(request.prompt));
    auto* form =
        new widgets::TuneForm(backendChoices(m_parts.renders->machine()), renderArguments(request), about);
    connect(form, &widgets::MeasureForm::submitted, this,
            [this, form] { startTuning(form->title(), form->arguments() + pluginArguments()); });
    showForm(form, tr("Tune a policy"));
    return form;
}

}  // namespace reelgrid::studio
