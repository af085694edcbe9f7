#include "app/studio/settings.h"

#include <QSettings>
#include <QStandardPaths>
#include <algorithm>

namespace reelgrid::studio {

namespace {
constexpr const char* kRecent = "recent";
constexpr const char* kTrusted = "trusted";
}  // namespace

Settings::Settings()
    : m_file(std::make_unique<QSettings>(
          QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) + "/studio.ini",
          QSettings::IniFormat)) {}

Settings::~Settings() = default;

ThemeChoice Settings::theme() const {
    const QString name = m_file->value("theme").toString();
    return name == "light"     ? ThemeChoice::Light
           : name == "desktop" ? ThemeChoice::Desktop
                               : ThemeChoice::Dark;
}

void Settings::setTheme(ThemeChoice theme) {
    m_file->setValue("theme", theme == ThemeChoice::Light     ? "light"
                              : theme == ThemeChoice::Desktop ? "desktop"
                                                              : "dark");
}

int Settings::textPercent() const {
    bool isNumber = false;
    const int percent = m_file->value("textPercent").toInt(&isNumber);
    return isNumber ? std::clamp(percent, kSmallestText, kLargestText) : 100;
}

void Settings::setTextPercent(int percent) {
    m_file->setValue("textPercent", std::clamp(percent, kSmallestText, kLargestText));
}

QString Settings::language() const {
    return m_file->value("language").toString();
}

void Settings::setLanguage(const QString& language) {
    m_file->setValue("language", language);
}

std::filesystem::path Settings::resultsFolder() const {
    return m_file->value("resultsFolder").toString().toStdString();
}

void Settings::setResultsFolder(const std::filesystem::path& folder) {
    m_file->setValue("resultsFolder", QString::fromStdString(folder.string()));
}

QString Settings::machines() const {
    return m_file->value("machines").toString();
}

void Settings::setMachines(const QString& hosts) {
    m_file->setValue("machines", hosts);
}

int Settings::jobTimeoutSeconds() const {
    return std::clamp(m_file->value("jobTimeoutSeconds").toInt(), 0, kLongestTimeout);
}

void Settings::setJobTimeoutSeconds(int seconds) {
    m_file->setValue("jobTimeoutSeconds", seconds);
}

QStringList Settings::metrics() const {
    return m_file->value("metrics").toStringList();
}

void Settings::setMetrics(const QStringList& names) {
    m_file->setValue("metrics", names);
}

QString Settings::metricWeights() const {
    return m_file->value("metricWeights").toString();
}

void Settings::setMetricWeights(const QString& folder) {
    m_file->setValue("metricWeights", folder);
}

int Settings::volume() const {
    return std::clamp(m_file->value("volume", 100).toInt(), 0, 100);
}

void Settings::setVolume(int percent) {
    m_file->setValue("volume", std::clamp(percent, 0, 100));
}

QStringList Settings::recentFiles() const {
    return m_file->value(kRecent).toStringList();
}

void Settings::addRecentFile(const std::filesystem::path& file) {
    const QString name = QString::fromStdString(file.string());
    QStringList files = recentFiles();
    files.removeAll(name);
    files.prepend(name);
    m_file->setValue(kRecent, files.mid(0, kMostRecent));
}

bool Settings::isTrusted(const QString& sha256) const {
    return m_file->value(kTrusted).toStringList().contains(sha256);
}

void Settings::trust(const QString& sha256) {
    QStringList known = m_file->value(kTrusted).toStringList();
    known.removeAll(sha256);
    known.prepend(sha256);
    m_file->setValue(kTrusted, known.mid(0, kMostTrusted));
}

void Settings::forgetRecentFiles() {
    m_file->remove(kRecent);
}

bool Settings::isOn(const char* action, bool byDefault) const {
    return m_file->value(QString("on/") + action, byDefault).toBool();
}

void Settings::setOn(const char* action, bool on) {
    m_file->setValue(QString("on/") + action, on);
}

QByteArray Settings::state(const char* widget) const {
    return m_file->value(QString("state/") + widget).toByteArray();
}

void Settings::setState(const char* widget, const QByteArray& state) {
    m_file->setValue(QString("state/") + widget, state);
}

}  // namespace reelgrid::studio
