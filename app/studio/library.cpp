#include "app/studio/library.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "app/studio/recent_comparisons.h"
#include "app/studio/recent_list.h"

namespace reelgrid::studio {

Library::Library(const RecentComparisons* comparisons, QWidget* parent)
    : QWidget(parent), m_words(new QLineEdit), m_count(new QLabel), m_list(new RecentList(comparisons)) {
    m_words->setPlaceholderText(tr("Words of prompt, backend, model, seed, date"));
    m_words->setAccessibleName(tr("Look for comparisons"));
    m_words->setClearButtonEnabled(true);
    m_count->setObjectName("quiet");
    auto* head = new QHBoxLayout;
    head->addWidget(m_words, 1);
    head->addWidget(m_count);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(head);
    layout->addWidget(m_list, 1);
    setMinimumSize(480, 320);
    connect(m_words, &QLineEdit::textChanged, this, &Library::filter);
    // After the list, which fills itself anew.
    connect(comparisons, &RecentComparisons::changed, this, &Library::filter, Qt::QueuedConnection);
    connect(m_list, &RecentList::chosen, this, &Library::chosen);
    filter();
}

QSize Library::sizeHint() const {
    return {940, 580};
}

void Library::lookFor(const QString& words) {
    m_words->setText(words);
}

void Library::filter() {
    const int shown = m_list->showOnly(m_words->text().split(' ', Qt::SkipEmptyParts));
    m_count->setText(m_list->count() == 0       ? tr("Nothing was rendered into the results folder yet")
                     : shown == m_list->count() ? tr("%1 comparisons").arg(shown)
                                                : tr("%1 of %2 comparisons").arg(shown).arg(m_list->count()));
}

}  // namespace reelgrid::studio
