#include "widgets/panels/issue_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/theme/icons.h"

namespace reelgrid::widgets {

namespace {
constexpr int kRowHeight = 26;
constexpr int kMostRowsInView = 3;
}  // namespace

IssuePanel::IssuePanel(QWidget* parent) : QWidget(parent), m_scroll(new QScrollArea) {
    setObjectName("panel");
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Issues"));
    auto* content = new QWidget;
    m_rows = new QVBoxLayout(content);
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(0);
    m_scroll->setFocusPolicy(Qt::TabFocus);  // a click leaves the arrow keys to playing
    m_scroll->setWidget(content);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 4, 6, 4);
    layout->addWidget(m_scroll);
    fit();
}

void IssuePanel::addIssue(const QString& line) {
    const QString shown = line.simplified();
    if (shown.isEmpty() || m_lines.contains(shown)) return;
    m_lines.append(shown);
    auto* row = new QWidget;
    row->setFixedHeight(theme::scaled(kRowHeight));
    auto* text = new QLabel(shown);
    text->setObjectName("problem");
    text->setTextFormat(Qt::PlainText);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text->setToolTip(shown);
    text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* dismiss = new QToolButton;
    dismiss->setObjectName("flat");
    dismiss->setIcon(icon(Glyph::Close, theme::kQuiet));
    dismiss->setIconSize({14, 14});
    dismiss->setToolTip(tr("Dismiss"));
    dismiss->setAccessibleName(tr("Dismiss"));
    connect(dismiss, &QToolButton::clicked, this, [this, shown, row] { remove(shown, row); });
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(text, 1);
    layout->addWidget(dismiss);
    m_rows->addWidget(row);
    fit();
}

void IssuePanel::remove(const QString& line, QWidget* row) {
    m_lines.removeOne(line);
    row->deleteLater();
    fit();
}

void IssuePanel::clear() {
    m_lines.clear();
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    fit();
}

void IssuePanel::fit() {
    const int rows = std::min(kMostRowsInView, int(m_lines.size()));
    setFixedHeight(rows * theme::scaled(kRowHeight) + 8);
    setVisible(rows > 0);
}

}  // namespace reelgrid::widgets
