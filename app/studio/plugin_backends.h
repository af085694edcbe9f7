#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <filesystem>

namespace reelgrid::studio {

/// The attention backends that users bring, as the worker's program describes them: their code never runs in
/// this process. GUI thread.
class PluginBackends : public QObject {
    Q_OBJECT

  public:
    explicit PluginBackends(QObject* parent = nullptr);
    ~PluginBackends() override;

    /// Has them listed: those that lie where plug-ins are looked for, and these files. Once for a window.
    void look(const QStringList& files);
    /// One more file; again after it was built anew.
    void add(const std::filesystem::path& file);

    /// Whether it isn't known yet which there are.
    [[nodiscard]] bool isListing() const { return m_isListing; }

  Q_SIGNALS:
    /// The list of backends has them; `chosen` were added by hand, and a worker needs `arguments` to know
    /// them all.
    void changed(const QStringList& chosen, const QStringList& arguments);
    void failed(const QString& why);
    void listed();  ///< or failed to be

  private:
    void list();
    void setListing(bool isListing);
    void take();

    QStringList m_files;  ///< that were given
    QStringList m_asked;  ///< of those the ones that the running process is to add
    bool m_again = false;
    bool m_isListing = false;
    QProcess m_process;
};

}  // namespace reelgrid::studio
