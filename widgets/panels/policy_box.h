#pragma once

#include <QWidget>

#include "core/protocol/attention_policy.h"

class QLabel;
class QPushButton;

namespace reelgrid::widgets {

/// The attention policy of a request: its rules in words, a button to choose a file with others, and one to
/// go without.
class PolicyBox : public QWidget {
    Q_OBJECT

  public:
    explicit PolicyBox(QWidget* parent = nullptr);

    void setPolicy(protocol::AttentionPolicy policy);
    [[nodiscard]] const protocol::AttentionPolicy& policy() const { return m_policy; }

  Q_SIGNALS:
    void fileRequested();
    void policyChanged();

  private:
    protocol::AttentionPolicy m_policy;
    QPushButton* m_choose;
    QPushButton* m_remove;
    QLabel* m_rules;
};

}  // namespace reelgrid::widgets
