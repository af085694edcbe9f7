#pragma once

#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QString>
#include <optional>
#include <string>

class QCheckBox;
class QComboBox;
class QLabel;
class QPlainTextEdit;
class QSpinBox;

namespace reelgrid::widgets {

// What the request's fields are made of. Each value's field carries the command line's name for it, by which
// a message finds the field that it is about.

QLabel* heading(const QString& text);
QLabel* quiet(const QString& text);
QPlainTextEdit* textBox(int lines, const QString& name, const QString& placeholder);
QSpinBox* numberBox(const QString& name, const char* option);
QCheckBox* checkBox(const QString& text, const char* option, const QString& toolTip);

void setOption(QWidget* field, const char* option);
[[nodiscard]] QString optionOf(const QWidget* field);

/// Shows the entry whose data is `value`. One that isn't offered is added: the request's check says what is
/// wrong with it.
void choose(QComboBox* box, const std::string& value);
/// The chosen entry's data; empty where it stands for the model's own choice.
[[nodiscard]] std::string chosenIn(const QComboBox* box);

/// Takes a point beside the locale's own: "5.5" is no 55, as where points group thousands.
class DecimalBox : public QDoubleSpinBox {
    Q_OBJECT

  public:
    using QDoubleSpinBox::QDoubleSpinBox;
    QValidator::State validate(QString& text, int& position) const override;
};

/// A real number, shown without zeros at its end.
class RealBox : public DecimalBox {
    Q_OBJECT

  public:
    RealBox(const QString& name, const char* option);
    [[nodiscard]] QString textFromValue(double value) const override;
};

/// A real number that may be absent: then the field is empty and says what holds in its place. Written by the
/// locale, read by it or with a point.
class OptionalRealEdit : public QLineEdit {
    Q_OBJECT

  public:
    OptionalRealEdit(const QString& name, const char* option);
    void setValue(std::optional<double> value);
    /// Absent when empty, and when it is no number.
    [[nodiscard]] std::optional<double> value() const;
    /// What the command line says of a text that is no number; empty when there is nothing to say.
    [[nodiscard]] QString problem() const;
};

}  // namespace reelgrid::widgets
