#pragma once

#include <QObject>
#include <set>
#include <string>

namespace reelgrid::studio {

class Comparison;
class PluginBackends;
class SessionController;

/// Says which attention plug-ins the comparison on show was made with, or asks for, that this program doesn't
/// have: a file from elsewhere names a backend, never the library, so the person has to add it. GUI thread.
class MissingPlugins : public QObject {
    Q_OBJECT

  public:
    MissingPlugins(Comparison* comparison, SessionController* sessions, PluginBackends* plugins,
                   QObject* parent);

  Q_SIGNALS:
    void missing(const QString& message);

  private:
    void look();
    void say(const std::string& backend, const QString& what);

    Comparison* m_comparison;
    SessionController* m_sessions;
    PluginBackends* m_plugins;
    std::set<std::string> m_said;  // once for what is on show
};

}  // namespace reelgrid::studio
