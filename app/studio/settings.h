#pragma once

#include <QByteArray>
#include <QStringList>
#include <filesystem>
#include <memory>

class QSettings;

namespace reelgrid::studio {

enum class ThemeChoice { Dark, Light, Desktop };

/// What the studio remembers from one start to the next, in one file of the person's configuration folder.
/// What was never set has its default. GUI thread.
class Settings {
  public:
    Settings();
    ~Settings();

    [[nodiscard]] ThemeChoice theme() const;
    void setTheme(ThemeChoice theme);
    static constexpr int kSmallestText = 70;
    static constexpr int kLargestText = 200;
    [[nodiscard]] int textPercent() const;
    void setTextPercent(int percent);
    /// "de", "en"; empty: as the desktop's.
    [[nodiscard]] QString language() const;
    void setLanguage(const QString& language);
    /// Empty: never chosen.
    [[nodiscard]] std::filesystem::path resultsFolder() const;
    void setResultsFolder(const std::filesystem::path& folder);
    /// Those that render, as a file of hosts names them; empty: this one, never chosen otherwise.
    [[nodiscard]] QString machines() const;
    void setMachines(const QString& hosts);
    /// After which a render is ended; 0: never.
    static constexpr int kLongestTimeout = 1000000;
    [[nodiscard]] int jobTimeoutSeconds() const;
    void setJobTimeoutSeconds(int seconds);
    /// What was last asked for beyond what is always measured, and where its weights are.
    [[nodiscard]] QStringList metrics() const;
    void setMetrics(const QStringList& names);
    [[nodiscard]] QString metricWeights() const;
    void setMetricWeights(const QString& folder);
    /// 0 to 100.
    [[nodiscard]] int volume() const;
    void setVolume(int percent);
    /// Sessions and clips, the newest first; at most kMostRecent.
    static constexpr int kMostRecent = 12;
    [[nodiscard]] QStringList recentFiles() const;
    void addRecentFile(const std::filesystem::path& file);
    void forgetRecentFiles();
    /// Plug-ins by the SHA-256 of their files, the newest first; at most kMostTrusted.
    static constexpr int kMostTrusted = 200;
    [[nodiscard]] bool isTrusted(const QString& sha256) const;
    void trust(const QString& sha256);
    /// A checkable action's state ("charts"), and a widget's own ("geometry", "columns").
    [[nodiscard]] bool isOn(const char* action, bool byDefault) const;
    void setOn(const char* action, bool on);
    [[nodiscard]] QByteArray state(const char* widget) const;
    void setState(const char* widget, const QByteArray& state);

  private:
    std::unique_ptr<QSettings> m_file;
};

}  // namespace reelgrid::studio
