#include "widgets/measure/kept_map_form.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>

namespace reelgrid::widgets {

namespace {

constexpr int kFieldWidth = 110;

}  // namespace

KeptMapForm::KeptMapForm(QWidget* parent)
    : QWidget(parent), m_backend(new QComboBox), m_row(new QHBoxLayout(this)) {
    m_row->setContentsMargins(0, 0, 0, 0);
    m_backend->addItem(tr("no map of kept blocks"));
    m_backend->setAccessibleName(tr("Map of kept blocks"));
    m_backend->setToolTip(tr("Which blocks of keys a sparse backend attends to in this call"));
    m_row->addWidget(m_backend);
    connect(m_backend, &QComboBox::currentIndexChanged, this, [this] {
        showOptions();
        Q_EMIT edited();
    });
}

void KeptMapForm::setBackends(const std::vector<SparseBackend>& backends) {
    m_backends = backends;
    const QSignalBlocker silent(m_backend);
    while (m_backend->count() > 1) m_backend->removeItem(1);
    for (const SparseBackend& backend : m_backends) {
        m_backend->addItem(backend.name);
        m_backend->setItemData(m_backend->count() - 1, backend.description, Qt::ToolTipRole);
    }
    showOptions();
}

void KeptMapForm::showOptions() {
    for (const auto& [key, field] : m_options) field->deleteLater();
    m_options.clear();
    const int chosen = m_backend->currentIndex() - 1;
    if (chosen < 0) return;
    const SparseBackend& backend = m_backends[std::size_t(chosen)];
    for (const SparseBackend::Option& option : backend.options) {
        auto* field = new QLineEdit;
        field->setMaximumWidth(kFieldWidth);
        field->setPlaceholderText(option.key + " " + option.value);
        field->setAccessibleName(option.key);
        field->setToolTip(option.about);
        m_row->addWidget(field);
        connect(field, &QLineEdit::editingFinished, this, &KeptMapForm::edited);
        m_options.emplace_back(
            option.word.isEmpty() ? "--backend-option=" + backend.name + "." + option.key : option.word,
            field);
    }
}

QStringList KeptMapForm::arguments() const {
    const int chosen = m_backend->currentIndex() - 1;
    if (chosen < 0) return {};
    QStringList words{"--map=" + m_backends[std::size_t(chosen)].name};
    for (const auto& [word, field] : m_options) {
        QString value = field->text();
        value.remove(' ');
        if (!value.isEmpty()) words << word + "=" + value;
    }
    return words;
}

}  // namespace reelgrid::widgets
