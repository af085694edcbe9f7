#include "app/studio/plugin_backends.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/json.h"
#include "core/jobs/worker_process.h"
#include "core/plugins/plugin_list.h"
#include "core/plugins/plugin_search.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::studio {

PluginBackends::PluginBackends(QObject* parent) : QObject(parent) {
    connect(&m_process, &QProcess::finished, this, &PluginBackends::take);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        Q_EMIT failed(m_process.program() + ": " + m_process.errorString());
        setListing(false);
    });
}

PluginBackends::~PluginBackends() {
    m_process.disconnect(this);
    m_process.kill();
    m_process.waitForFinished();
}

void PluginBackends::look(const QStringList& files) {
    m_asked = m_files = files;
    std::vector<std::string> given;
    for (const QString& file : files) given.push_back(file.toStdString());
    std::vector<std::string> notes;
    const auto found = plugins::pluginFiles(given, notes);
    if (!found.empty() || !notes.empty()) list();  // else no process has anything to say
}

void PluginBackends::add(const std::filesystem::path& file) {
    const QString name = QString::fromStdString(file.string());
    if (!m_files.contains(name)) m_files.append(name);
    m_asked.append(name);
    list();
}

void PluginBackends::setListing(bool isListing) {
    m_isListing = isListing;
    if (!isListing) Q_EMIT listed();
}

void PluginBackends::list() {
    m_again = m_process.state() != QProcess::NotRunning;
    if (m_again) return;
    const auto program = jobs::findWorkerProgram();
    if (!program) return Q_EMIT failed(QString::fromStdString(program.error().message));
    m_isListing = true;
    QStringList arguments{"backends", "list", "--json"};
    for (const QString& file : m_files) arguments << "--backend-plugin" << file;
    m_process.start(QString::fromStdString(program->string()), arguments);
}

void PluginBackends::take() {
    const QString said = QString::fromUtf8(m_process.readAllStandardError()).trimmed();
    const QStringList asked = std::exchange(m_asked, {});
    if (!said.isEmpty()) Q_EMIT failed(said);
    if (m_process.exitStatus() != QProcess::NormalExit || m_process.exitCode() != 0) {
        // Without those that may be to blame the others are there all the same.
        const auto before = m_files.size();
        for (const QString& file : asked) m_files.removeAll(file);
        m_files.size() < before ? list() : setListing(false);
        return;
    }
    const auto described = parseJson(m_process.readAllStandardOutput().toStdString(), "backends");
    if (!described) {
        Q_EMIT failed(QString::fromStdString(described.error().message));
        return setListing(false);
    }
    plugins::addDescribedPlugins(*described);
    QStringList chosen, arguments;
    for (const std::string& word : plugins::pluginArguments()) arguments.append(QString::fromStdString(word));
    for (const kernels::BackendInfo& backend : kernels::backends()) {
        if (backend.plugin == nullptr) continue;
        const std::filesystem::path file = backend.plugin->description.file;
        const bool isAsked = std::any_of(asked.begin(), asked.end(), [&](const QString& name) {
            std::error_code failed;
            return std::filesystem::equivalent(name.toStdString(), file, failed);
        });
        if (isAsked) chosen.append(QString::fromStdString(backend.plugin->description.name));
    }
    Q_EMIT changed(chosen, arguments);
    m_again ? list() : setListing(false);
}

}  // namespace reelgrid::studio
