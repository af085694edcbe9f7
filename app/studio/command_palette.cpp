#include "app/studio/command_palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QVBoxLayout>
#include <algorithm>

#include "app/studio/palette_row.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {

/// Its letters one after the other, with anything between them: "eg" finds "export grid".
bool hasLetters(const QString& word, const QString& text) {
    qsizetype from = 0;
    for (const QChar letter : word) {
        from = text.indexOf(letter, from, Qt::CaseInsensitive) + 1;
        if (from == 0) return false;
    }
    return true;
}

}  // namespace

int fitOf(const QString& typed, const QString& text) {
    constexpr int kWhole = 5;
    constexpr int kStart = 4;
    constexpr int kWordStart = 3;
    constexpr int kInside = 2;
    constexpr int kLetters = 1;
    int fit = 0;
    for (const QString& word : typed.split(' ', Qt::SkipEmptyParts)) {
        const qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive);
        if (at < 0 && !hasLetters(word, text)) return -1;
        const bool starts = at == 0 || (at > 0 && !text[at - 1].isLetterOrNumber());
        fit += at == 0 && word.size() == text.size() ? kWhole
               : at == 0                             ? kStart
               : starts                              ? kWordStart
               : at > 0                              ? kInside
                                                     : kLetters;
    }
    return fit;
}

CommandPalette::CommandPalette(const QMenuBar& menus, QWidget* parent)
    : QDialog(parent), m_places(actionsIn(menus)), m_words(new QLineEdit), m_found(new QListWidget) {
    setObjectName("palette");
    setWindowTitle(tr("Command palette"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_words->setPlaceholderText(tr("Type what you want to do"));
    m_words->setAccessibleName(tr("Words of a command"));
    m_words->installEventFilter(this);
    m_found->setAccessibleName(tr("Commands"));
    m_found->setFocusPolicy(Qt::NoFocus);
    m_found->setItemDelegate(new PaletteRow(m_found));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(m_words);
    layout->addWidget(m_found);
    resize(widgets::theme::scaled(620), widgets::theme::scaled(420));
    move(parent->geometry().center().x() - width() / 2, parent->y() + widgets::theme::scaled(90));
    connect(m_words, &QLineEdit::textChanged, this, &CommandPalette::fill);
    connect(m_words, &QLineEdit::returnPressed, this, &CommandPalette::run);
    connect(m_found, &QListWidget::itemClicked, this, &CommandPalette::run);
    fill();
}

void CommandPalette::fill() {
    struct Fit {
        int fit;
        std::size_t place;
    };
    std::vector<Fit> fits;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const MenuPlace& place = m_places[i];
        if (!place.action->isEnabled() || place.action->objectName() == "palette") continue;
        // Its own words count for more than those of its menu and of its description.
        const int own = fitOf(m_words->text(), plainText(*place.action).remove(QChar(0x2026)));
        const int any = fitOf(m_words->text(),
                              plainText(*place.action) + ' ' + place.menu + ' ' + place.action->statusTip());
        if (any >= 0) fits.push_back({2 * std::max(own, 0) + any, i});
    }
    std::ranges::stable_sort(fits, std::ranges::greater(), &Fit::fit);
    m_found->clear();
    for (const Fit& fit : fits) {
        const MenuPlace& place = m_places[fit.place];
        const QString keys = keysText(*place.action);
        const QString mark = place.action->isChecked() ? QString::fromUtf8(" ✓") : QString();
        auto* item = new QListWidgetItem(
            place.menu + QString::fromUtf8(" › ") + plainText(*place.action) + mark, m_found);
        item->setData(PaletteRow::kKeysRole, keys);
        item->setData(Qt::UserRole, int(fit.place));
        item->setToolTip(place.action->statusTip());
    }
    m_found->setCurrentRow(0);
}

void CommandPalette::run() {
    const QListWidgetItem* item = m_found->currentItem();
    if (item == nullptr) return;
    const QPointer<QAction> action = m_places[std::size_t(item->data(Qt::UserRole).toInt())].action;
    close();
    if (action != nullptr) action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_words || event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int page = 8;
    int by = 0;
    if (key == Qt::Key_Down) by = 1;
    if (key == Qt::Key_Up) by = -1;
    if (key == Qt::Key_PageDown) by = page;
    if (key == Qt::Key_PageUp) by = -page;
    if (by == 0 || m_found->count() == 0) return false;
    m_found->setCurrentRow(std::clamp(m_found->currentRow() + by, 0, m_found->count() - 1));
    return true;
}

}  // namespace reelgrid::studio
