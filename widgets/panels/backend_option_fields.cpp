#include "widgets/panels/backend_option_fields.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <algorithm>

#include "core/machine/option_text.h"
#include "core/protocol/backend_option.h"
#include "widgets/panels/form_parts.h"

namespace reelgrid::widgets {

std::string BackendOptionFields::Row::text() const {
    QString value = field->text();
    value.remove(' ');
    return value.isEmpty() ? std::string() : backend + "." + key + "=" + value.toStdString();
}

BackendOptionFields::BackendOptionFields(QWidget* parent)
    : RequestFields(parent), m_grid(new QGridLayout(this)) {
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(8);
    m_grid->setVerticalSpacing(6);
    m_grid->setColumnStretch(1, 1);
    hide();
}

void BackendOptionFields::setMachine(const machine::Machine& machine) {
    protocol::RenderRequest kept;
    write(kept);
    for (const Row& row : m_rows) {
        delete row.label;
        delete row.field;
    }
    m_rows.clear();
    for (const machine::Backend& backend : machine.backends)
        for (const kernels::BackendOption& option : backend.options) addRow(backend, option);
    read(kept);
}

void BackendOptionFields::addRow(const machine::Backend& backend, const kernels::BackendOption& option) {
    const QString name = QString::fromStdString(backend.name + "." + option.key);
    const QString tip = QString("<p>%1</p>")
                            .arg(QString::fromStdString(machine::textOf(backend, option))
                                     .toHtmlEscaped()
                                     .replace("\n", "</p><p>"));
    auto* label = quiet(name);
    label->setParent(this);
    label->setToolTip(tip);
    auto* field = new QLineEdit(this);
    field->setMinimumWidth(44);
    field->setAccessibleName(name);
    field->setToolTip(tip);
    field->setPlaceholderText(QString::fromStdString(option.value));
    m_rows.push_back({backend.name, option.key, label, field});
    const Row row = m_rows.back();
    connect(field, &QLineEdit::textChanged, this, [this, row] {
        // As a message names it.
        setOption(row.field, ("--backend-option " + row.text()).c_str());
        arrange();
        Q_EMIT edited();
    });
}

void BackendOptionFields::setChecked(const QStringList& backends) {
    if (m_checked == backends) return;
    m_checked = backends;
    arrange();
}

void BackendOptionFields::arrange() {
    int place = 0;
    for (const Row& row : m_rows) {
        const bool shown = m_checked.contains(QString::fromStdString(row.backend)) || !row.text().empty();
        m_grid->addWidget(row.label, place, 0);
        m_grid->addWidget(row.field, place, 1);
        row.label->setVisible(shown);
        row.field->setVisible(shown);
        if (shown) ++place;
    }
    setVisible(place > 0);
}

void BackendOptionFields::read(const protocol::RenderRequest& request) {
    m_others = request.backendOption;
    const auto choices = protocol::choicesIn(request.backendOption);
    for (const Row& row : m_rows) {
        const auto found = std::ranges::find_if(choices, [&](const protocol::BackendOptionChoice& choice) {
            return choice.backend == row.backend && choice.key == row.key;
        });
        row.field->setText(found == choices.end() ? QString() : QString::fromStdString(found->value));
        std::erase_if(m_others, [&](const std::string& text) {
            return text.starts_with(row.backend + "." + row.key + "=");
        });
    }
    arrange();
}

void BackendOptionFields::write(protocol::RenderRequest& request) const {
    request.backendOption = m_others;
    for (const Row& row : m_rows)
        if (std::string text = row.text(); !text.empty()) request.backendOption.push_back(std::move(text));
}

}  // namespace reelgrid::widgets
