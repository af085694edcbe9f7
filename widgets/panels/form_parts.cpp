#include "widgets/panels/form_parts.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QSpinBox>

#include "widgets/theme/local_number.h"

namespace reelgrid::widgets {

namespace {

// The model's own limits are checked with a message, not clipped.
constexpr int kLargestEntry = 1 << 20;
constexpr double kLargestReal = 9999;
constexpr int kDecimals = 6;

QLabel* label(const QString& text, const char* look) {
    auto* label = new QLabel(text);
    label->setObjectName(look);
    return label;
}

}  // namespace

QLabel* heading(const QString& text) {
    return label(text, "heading");
}

QLabel* quiet(const QString& text) {
    return label(text, "quiet");
}

QPlainTextEdit* textBox(int lines, const QString& name, const QString& placeholder) {
    auto* box = new QPlainTextEdit;
    box->setPlaceholderText(placeholder);
    box->setAccessibleName(name);
    box->setTabChangesFocus(true);
    box->setFixedHeight(box->fontMetrics().lineSpacing() * lines + 24);
    return box;
}

QSpinBox* numberBox(const QString& name, const char* option) {
    auto* box = new QSpinBox;
    box->setRange(0, kLargestEntry);
    box->setButtonSymbols(QAbstractSpinBox::NoButtons);
    box->setAccessibleName(name);
    box->setMinimumWidth(44);
    setOption(box, option);
    return box;
}

QCheckBox* checkBox(const QString& text, const char* option, const QString& toolTip) {
    auto* box = new QCheckBox(text);
    setOption(box, option);
    box->setToolTip(toolTip);
    return box;
}

void setOption(QWidget* field, const char* option) {
    field->setProperty("option", option);
}

QString optionOf(const QWidget* field) {
    return field->property("option").toString();
}

void choose(QComboBox* box, const std::string& value) {
    const QString wanted = QString::fromStdString(value);
    if (box->findData(wanted) < 0) box->addItem(wanted, wanted);
    box->setCurrentIndex(box->findData(wanted));
}

std::string chosenIn(const QComboBox* box) {
    return box->currentData().toString().toStdString();
}

QValidator::State DecimalBox::validate(QString& text, int& position) const {
    text.replace('.', locale().decimalPoint());
    return QDoubleSpinBox::validate(text, position);
}

RealBox::RealBox(const QString& name, const char* option) {
    setRange(-kLargestReal, kLargestReal);
    setDecimals(kDecimals);
    setSingleStep(0.5);
    setButtonSymbols(QAbstractSpinBox::NoButtons);
    setAccessibleName(name);
    setMinimumWidth(44);
    setOption(this, option);
}

QString RealBox::textFromValue(double value) const {
    QString text = QDoubleSpinBox::textFromValue(value);
    const QString point = locale().decimalPoint();
    if (!text.contains(point)) return text;
    // "5.0", not "5": it is seen that fractions are welcome.
    while (text.endsWith('0') && !text.chopped(1).endsWith(point)) text.chop(1);
    return text;
}

OptionalRealEdit::OptionalRealEdit(const QString& name, const char* option) {
    setAccessibleName(name);
    setMinimumWidth(44);
    setOption(this, option);
}

void OptionalRealEdit::setValue(std::optional<double> value) {
    setText(value ? shortestText(*value) : QString());
}

std::optional<double> OptionalRealEdit::value() const {
    return numberIn(text().trimmed());
}

QString OptionalRealEdit::problem() const {
    if (text().trimmed().isEmpty() || value()) return {};
    return QString("%1 %2: a number was needed").arg(optionOf(this), text());
}

}  // namespace reelgrid::widgets
