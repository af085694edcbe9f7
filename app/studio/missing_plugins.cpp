#include "app/studio/missing_plugins.h"

#include "app/studio/comparison.h"
#include "app/studio/plugin_backends.h"
#include "app/studio/session_controller.h"
#include "core/protocol/attention_call.h"
#include "kernels/backends/backend_list.h"

namespace reelgrid::studio {

namespace {

bool isKnown(const std::string& backend) {
    return backend == protocol::kDefaultBackend || kernels::findBackend(backend) != nullptr;
}

QString detailsOf(const result::PluginRecord& plugin) {
    const QString file = QString::fromStdString(plugin.file);
    return plugin.version.empty()
               ? file
               : QObject::tr("%1, version %2").arg(file, QString::fromStdString(plugin.version));
}

}  // namespace

MissingPlugins::MissingPlugins(Comparison* comparison, SessionController* sessions, PluginBackends* plugins,
                               QObject* parent)
    : QObject(parent), m_comparison(comparison), m_sessions(sessions), m_plugins(plugins) {
    connect(m_comparison, &Comparison::factsChanged, this, &MissingPlugins::look);
    connect(m_sessions, &SessionController::nameChanged, this, [this] {
        m_said.clear();
        look();
    });
    connect(m_plugins, &PluginBackends::listed, this, &MissingPlugins::look);
}

void MissingPlugins::look() {
    // Those that the program was started with are not there yet.
    if (m_plugins->isListing()) return;
    for (const ComparedClip& clip : m_comparison->clips()) {
        if (!clip.facts) continue;
        for (const result::PluginRecord& plugin : clip.facts->result.manifest.plugins)
            if (!isKnown(plugin.backend))
                say(plugin.backend,
                    tr("%1 was rendered by the attention plug-in “%2” (%3), which isn’t here: the "
                       "clip plays; to render with it")
                        .arg(clip.label, QString::fromStdString(plugin.backend), detailsOf(plugin)));
    }
    const protocol::RenderRequest request = m_sessions->request();
    for (const protocol::AttentionRule& rule : request.attentionPolicy.rules)
        if (!isKnown(rule.backend))
            say(rule.backend,
                tr("The attention policy asks for “%1”, a plug-in that isn’t here: to render with it")
                    .arg(QString::fromStdString(rule.backend)));
}

void MissingPlugins::say(const std::string& backend, const QString& what) {
    if (!m_said.insert(backend).second) return;
    Q_EMIT missing(
        tr("%1 add its file with File › Add attention plug-in…, or start with --backend-plugin FILE")
            .arg(what));
}

}  // namespace reelgrid::studio
