#include "app/studio/banner.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <utility>

namespace reelgrid::studio {

Banner::Banner(QWidget* parent)
    : QFrame(parent), m_text(new QLabel), m_accept(new QPushButton), m_dismiss(new QPushButton) {
    setObjectName("banner");
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 8, 8, 8);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_accept);
    layout->addWidget(m_dismiss);
    connect(m_accept, &QPushButton::clicked, this, [this] { end(std::exchange(m_onAccept, {})); });
    connect(m_dismiss, &QPushButton::clicked, this, [this] { end(std::exchange(m_onDismiss, {})); });
    hide();
}

void Banner::offer(const QString& text, const QString& acceptText, std::function<void()> accept,
                   const QString& dismissText, std::function<void()> dismiss) {
    m_text->setText(text);
    m_accept->setText(acceptText);
    m_dismiss->setText(dismissText);
    m_onAccept = std::move(accept);
    m_onDismiss = std::move(dismiss);
    show();
}

QString Banner::text() const {
    return m_text->text();
}

void Banner::end(const std::function<void()>& run) {
    hide();
    if (run) run();
}

}  // namespace reelgrid::studio
