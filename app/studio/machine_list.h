#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "app/studio/background_thread.h"
#include "core/fleet/host_survey.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace reelgrid::studio {

/// Which machines render: their names, one a line as in a file of hosts, and what each answered. GUI thread;
/// they are asked on another one.
class MachineList : public QWidget {
    Q_OBJECT

  public:
    MachineList(const QString& hosts, machine::Machine here, QWidget* parent = nullptr);

    [[nodiscard]] QString hosts() const;
    void setHosts(const QString& hosts);
    /// Asks the machines and has them render from then on.
    void use();
    /// What they answered, or what is wrong with a line.
    [[nodiscard]] QString answers() const;
    [[nodiscard]] QSize sizeHint() const override;

  Q_SIGNALS:
    /// They have answered, some at least, or none is named: then this machine renders, in one lane. What was
    /// written is kept.
    void chosen(const QString& hosts, const std::vector<reelgrid::jobs::LaneOptions>& lanes);

  private:
    void openFile();
    void take(const QString& asked, const std::vector<fleet::SurveyedHost>& hosts);

    machine::Machine m_here;
    QPlainTextEdit* m_hosts;
    QLabel* m_answers;
    QPushButton* m_use;
    BackgroundThread m_asking;  // last: it is waited for
};

}  // namespace reelgrid::studio
