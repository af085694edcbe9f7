#pragma once

#include "widgets/panels/request_fields.h"

class QLabel;
class QPushButton;

namespace reelgrid::widgets {

/// The attention policy of a request: its rules in words, a button to choose a file with others, and one to
/// go without.
class PolicyBox : public RequestFields {
    Q_OBJECT

  public:
    explicit PolicyBox(QWidget* parent = nullptr);

    void setPolicy(protocol::AttentionPolicy policy);

    void read(const protocol::RenderRequest& request) override { setPolicy(request.attentionPolicy); }
    void write(protocol::RenderRequest& request) const override { request.attentionPolicy = m_policy; }

  Q_SIGNALS:
    void fileRequested();

  private:
    protocol::AttentionPolicy m_policy;
    QPushButton* m_choose;
    QPushButton* m_remove;
    QLabel* m_rules;
};

}  // namespace reelgrid::widgets
