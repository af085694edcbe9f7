#pragma once

#include <QString>
#include <filesystem>
#include <vector>

class QDialog;
class QWidget;

namespace reelgrid::studio {

// Questions for files. The answer is empty when the person thought better of it.

std::vector<std::filesystem::path> askForClipsOrSessions(QWidget* parent);
std::filesystem::path askForSuite(QWidget* parent);
std::filesystem::path askForExportName(QWidget* parent);
std::filesystem::path askForSessionName(QWidget* parent);
std::filesystem::path askForReportName(QWidget* parent);
std::filesystem::path askForPictureName(QWidget* parent);
std::filesystem::path askForPolicyFile(QWidget* parent);
std::filesystem::path askForLora(QWidget* parent);
std::filesystem::path askForPicture(QWidget* parent);
std::filesystem::path askForPlugin(QWidget* parent);
std::filesystem::path askForFolder(QWidget* parent, const QString& what,
                                   const std::filesystem::path& now = {});

// Windows that only tell something; they stay open beside the work.

void showAbout(QWidget* parent);
QDialog* showInDialog(QWidget* parent, const QString& title, QWidget* content);
void showText(QWidget* parent, const QString& title, const QString& text);

}  // namespace reelgrid::studio
