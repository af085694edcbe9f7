#include "widgets/panels/policy_box.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "widgets/theme/icons.h"

namespace reelgrid::widgets {

namespace {

constexpr std::size_t kRulesShown = 6;

QString wordsOf(const protocol::AttentionPolicy& policy) {
    QStringList lines;
    for (std::size_t i = 0; i < policy.rules.size() && i < kRulesShown; ++i)
        lines.append(QString("%1. %2").arg(i + 1).arg(QString::fromStdString(describe(policy.rules[i]))));
    if (policy.rules.size() > kRulesShown)
        lines.append(QObject::tr("and %1 more").arg(policy.rules.size() - kRulesShown));
    lines.append(QObject::tr("The rest: the checked backends"));
    return lines.join('\n');
}

}  // namespace

PolicyBox::PolicyBox(QWidget* parent)
    : RequestFields(parent),
      m_choose(new QPushButton(tr("Policy…"))),
      m_remove(new QPushButton),
      m_rules(new QLabel) {
    m_choose->setObjectName("flat");
    m_choose->setProperty("plain", true);
    m_choose->setToolTip(
        tr("Choose a file of rules: a backend for some steps, layers, modules or guidance branches"));
    m_remove->setObjectName("flat");
    m_remove->setProperty("plain", true);
    m_remove->setIcon(icon(Glyph::Close));
    m_remove->setToolTip(tr("Render without the policy"));
    m_remove->setAccessibleName(tr("Remove the policy"));
    m_rules->setObjectName("quiet");
    m_rules->setAccessibleName(tr("Attention policy"));
    m_rules->setTextFormat(Qt::PlainText);
    m_rules->setWordWrap(true);

    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_choose);
    buttons->addWidget(m_remove);
    buttons->addStretch();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addLayout(buttons);
    column->addWidget(m_rules);
    connect(m_choose, &QPushButton::clicked, this, &PolicyBox::fileRequested);
    connect(m_remove, &QPushButton::clicked, this, [this] { setPolicy({}); });
    setPolicy({});
}

void PolicyBox::setPolicy(protocol::AttentionPolicy policy) {
    m_policy = std::move(policy);
    m_rules->setText(wordsOf(m_policy));
    m_rules->setVisible(!m_policy.empty());
    m_remove->setVisible(!m_policy.empty());
    Q_EMIT edited();
}

}  // namespace reelgrid::widgets
