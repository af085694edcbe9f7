#include "widgets/panels/model_fields.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <algorithm>
#include <string_view>
#include <utility>

#include "core/protocol/render_fields.h"
#include "widgets/panels/form_parts.h"
#include "widgets/theme/local_number.h"

namespace reelgrid::widgets {
namespace {

QString shownText(double value) {
    return shortestText(value);
}
QString shownText(int value) {
    return QString::number(value);
}
QString shownText(const std::string& value) {
    return QString::fromStdString(value);
}
template <class T>
QString shownText(const std::optional<T>& value) {
    return value ? shownText(*value) : QString();
}

/// False where the text is no such value.
bool readText(const QString& text, double& value) {
    const std::optional<double> number = numberIn(text);
    if (number) value = *number;
    return number.has_value();
}
bool readText(const QString& text, int& value) {
    bool isNumber = false;
    value = text.toInt(&isNumber);
    return isNumber;
}
bool readText(const QString& text, std::string& value) {
    // Nobody changes white space by looking at it.
    if (QString::fromStdString(value).simplified() != text) value = text.toStdString();
    return true;
}
template <class T>
bool readText(const QString& text, std::optional<T>& value) {
    T read = value.value_or(T());
    if (!readText(text, read)) return false;
    value = read;
    return true;
}

const char* neededFor(double /*value*/) {
    return "a number";
}
const char* neededFor(int /*value*/) {
    return "a whole number";
}
const char* neededFor(const std::string& /*value*/) {
    return "a text";
}
template <class T>
const char* neededFor(const std::optional<T>& /*value*/) {
    return neededFor(T());
}

/// Of those that a row can show; an empty text is one that says nothing.
bool isNothing(const std::optional<std::string>& value) {
    return value && QString::fromStdString(*value).simplified().isEmpty();
}
template <class T>
bool isNothing(const T& /*value*/) {
    return false;
}

template <class T>
concept ShownValue = requires(QString text, T value) {
    readText(text, value);
};

/// visit(field, access), as protocol::forEachRenderField() calls it, for the one field.
template <class Visit>
void visitField(std::string_view key, Visit&& visit) {
    protocol::forEachRenderField([&](const protocol::RenderField& field, auto access) {
        using Value = std::remove_reference_t<decltype(access(std::declval<protocol::RenderRequest&>()))>;
        if constexpr (ShownValue<Value>)
            if (field.key == key) visit(field, access);
    });
}

std::string optionOfKey(const char* key) {
    std::string option;
    visitField(key, [&](const protocol::RenderField& field, auto) { option = protocol::optionOf(field); });
    return option;
}

bool isText(const char* key) {
    bool text = false;
    visitField(key, [&](const protocol::RenderField&, auto access) {
        using Value = std::remove_reference_t<decltype(access(std::declval<protocol::RenderRequest&>()))>;
        text = std::is_same_v<Value, std::string> || std::is_same_v<Value, std::optional<std::string>>;
    });
    return text;
}

}  // namespace

ModelFields::ModelFields(const std::vector<ModelValue>& values, QWidget* parent)
    : RequestFields(parent), m_grid(new QGridLayout(this)) {
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(8);
    m_grid->setVerticalSpacing(6);
    m_grid->setColumnStretch(1, 1);
    m_grid->setColumnStretch(3, 1);
    for (const ModelValue& value : values) {
        QWidget* field = nullptr;
        const auto changed = [this] {
            arrange();
            Q_EMIT edited();
        };
        if (value.choices.empty()) {
            auto* line = new QLineEdit(this);
            line->setPlaceholderText(value.absent);
            connect(line, &QLineEdit::textChanged, this, changed);
            field = line;
        } else {
            auto* box = new QComboBox(this);
            box->addItem(value.absent, QString());
            for (const QString& choice : value.choices) box->addItem(choice, choice);
            connect(box, &QComboBox::currentIndexChanged, this, changed);
            field = box;
        }
        field->setMinimumWidth(44);
        field->setAccessibleName(value.name);
        field->setToolTip(value.tip);
        setOption(field, optionOfKey(value.key).c_str());
        auto* label = quiet(value.name);
        label->setParent(this);
        label->setToolTip(value.tip);
        m_rows.push_back({value, label, field, std::nullopt});
    }
    arrange();
}

QString ModelFields::textIn(const Row& row) {
    if (const auto* line = qobject_cast<const QLineEdit*>(row.field)) return line->text().simplified();
    return qobject_cast<const QComboBox*>(row.field)->currentData().toString();
}

bool ModelFields::hasMeaning(const Row& row) const {
    const auto other = std::ranges::find(m_rows, std::string_view(row.value.with),
                                         [](const Row& each) { return std::string_view(each.value.key); });
    return other == m_rows.end() || !textIn(*other).isEmpty();
}

/// Numbers two beside each other, texts below each other.
void ModelFields::arrange() {
    for (const Row& row : m_rows) {
        m_grid->removeWidget(row.label);
        m_grid->removeWidget(row.field);
    }
    int line = 0, column = 0;
    bool any = false;
    for (const Row& row : m_rows) {
        const bool shows = row.isTaken.value_or(false) && hasMeaning(row);
        row.label->setVisible(shows);
        row.field->setVisible(shows);
        if (!shows) continue;
        any = true;
        const bool isWide = isText(row.value.key);
        if (isWide && column > 0) {
            ++line;
            column = 0;
        }
        m_grid->addWidget(row.label, line, column);
        m_grid->addWidget(row.field, line, column + 1, 1, isWide ? 3 : 1);
        column = isWide || column > 0 ? 0 : 2;
        if (column == 0) ++line;
    }
    setVisible(any);
}

void ModelFields::takeDefaults(const families::ModelInfo& model) {
    for (Row& row : m_rows)
        visitField(row.value.key, [&](const protocol::RenderField& field, auto access) {
            row.isTaken = field.families == protocol::RenderField::For::EveryFamily || model.takes(field.key);
            auto* line = qobject_cast<QLineEdit*>(row.field);
            const QString own = shownText(access(model.defaults));
            if (line != nullptr) line->setPlaceholderText(own.isEmpty() ? row.value.absent : own);
        });
    arrange();
}

void ModelFields::read(const protocol::RenderRequest& request) {
    const protocol::RenderRequest usual;
    for (const Row& row : m_rows)
        visitField(row.value.key, [&](const protocol::RenderField&, auto access) {
            const auto& value = access(request);
            const QString text = value == access(usual) ? QString() : shownText(value).simplified();
            if (auto* line = qobject_cast<QLineEdit*>(row.field))
                line->setText(text);
            else
                choose(qobject_cast<QComboBox*>(row.field), text.toStdString());
        });
}

void ModelFields::write(protocol::RenderRequest& request) const {
    const protocol::RenderRequest usual;
    for (const Row& row : m_rows) {
        if (!row.isTaken) continue;  // no model yet: what a session says stays
        const QString text = *row.isTaken && hasMeaning(row) ? textIn(row) : QString();
        visitField(row.value.key, [&](const protocol::RenderField&, auto access) {
            auto& value = access(request);
            if (text.isEmpty() && *row.isTaken && isNothing(value)) return;
            if (text.isEmpty() || !readText(text, value)) value = access(usual);
        });
    }
}

QString ModelFields::problem() const {
    QString problem;
    for (const Row& row : m_rows)
        visitField(row.value.key, [&](const protocol::RenderField& field, auto access) {
            protocol::RenderRequest any;
            auto& value = access(any);
            const QString text = textIn(row);
            if (!problem.isEmpty() || !row.isTaken.value_or(false) || text.isEmpty()) return;
            if (!hasMeaning(row) || readText(text, value)) return;
            problem = QString("%1 %2: %3 was needed")
                          .arg(QString::fromStdString(optionOf(field)), text, neededFor(value));
        });
    return problem;
}

bool ModelFields::hasOwnChoice() const {
    return std::ranges::any_of(
        m_rows, [](const Row& row) { return row.isTaken.value_or(false) && !textIn(row).isEmpty(); });
}

}  // namespace reelgrid::widgets
