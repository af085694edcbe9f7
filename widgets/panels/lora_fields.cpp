#include "widgets/panels/lora_fields.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "core/protocol/lora_choice.h"
#include "widgets/panels/form_parts.h"
#include "widgets/theme/icons.h"

namespace reelgrid::widgets {

namespace {

QPushButton* flatButton(const QString& text) {
    auto* button = new QPushButton(text);
    button->setObjectName("flat");
    button->setProperty("plain", true);
    return button;
}

QVBoxLayout* columnOf(QWidget* widget) {
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    return column;
}

}  // namespace

LoraList::LoraList(const QString& choose, const char* option, QWidget* parent)
    : QWidget(parent), m_option(option), m_column(columnOf(this)) {
    auto* button = flatButton(choose);
    button->setToolTip(
        tr("Merge a LoRA into the model: a .safetensors file by the names of diffusers or kohya"));
    m_column->addWidget(button, 0, Qt::AlignLeft);
    connect(button, &QPushButton::clicked, this, &LoraList::fileRequested);
}

void LoraList::add(const QString& file, double scale) {
    auto* widget = new QWidget;
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(0, 0, 0, 0);
    auto* name = quiet(QFileInfo(file).fileName());
    name->setTextFormat(Qt::PlainText);
    name->setToolTip(file);
    name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* strength = new RealBox(tr("Scale of %1").arg(QFileInfo(file).fileName()), m_option);
    strength->setToolTip(tr("How much of it is merged; 1: as it was trained"));
    strength->setValue(scale);
    auto* without = flatButton({});
    without->setIcon(icon(Glyph::Close));
    without->setToolTip(tr("Render without this LoRA"));
    without->setAccessibleName(tr("Remove %1").arg(QFileInfo(file).fileName()));
    row->addWidget(name, 1);
    row->addWidget(strength);
    row->addWidget(without);
    m_column->insertWidget(int(m_rows.size()), widget);
    m_rows.push_back({file.toStdString(), widget, strength});
    connect(strength, &QDoubleSpinBox::valueChanged, this, &LoraList::edited);
    connect(without, &QPushButton::clicked, this, [this, widget] { remove(widget); });
    Q_EMIT edited();
}

void LoraList::remove(const QWidget* row) {
    const auto found = std::ranges::find(m_rows, row, &Row::widget);
    found->widget->hide();
    found->widget->deleteLater();
    m_rows.erase(found);
    Q_EMIT edited();
}

void LoraList::clear() {
    for (const Row& row : std::exchange(m_rows, {})) delete row.widget;
}

void LoraList::setChoices(const std::vector<std::string>& choices) {
    if (choices == this->choices()) return;
    clear();
    for (const std::string& text : choices) {
        // One that can't be read is shown as it is: the render says what is wrong with it.
        const auto choice = protocol::LoraChoice::from(text);
        add(QString::fromStdString(choice ? choice->file : text), choice ? choice->scale : 1);
    }
    Q_EMIT edited();
}

std::vector<std::string> LoraList::choices() const {
    std::vector<std::string> texts;
    for (const Row& row : m_rows) texts.push_back(protocol::LoraChoice{row.file, row.scale->value()}.text());
    return texts;
}

LoraFields::LoraFields(QWidget* parent)
    : RequestFields(parent),
      m_first(new LoraList(tr("Add LoRA…"), "--lora")),
      m_second(new LoraList(tr("Add LoRA of the low-noise expert…"), "--lora-2")) {
    auto* column = columnOf(this);
    column->addWidget(m_first);
    column->addWidget(m_second);
    for (LoraList* list : {m_first, m_second}) connect(list, &LoraList::edited, this, &LoraFields::edited);
    connect(m_first, &LoraList::fileRequested, this, [this] { Q_EMIT fileRequested(Which::First); });
    connect(m_second, &LoraList::fileRequested, this, [this] { Q_EMIT fileRequested(Which::Second); });
    hide();
}

void LoraFields::add(Which which, const QString& file) {
    (which == Which::First ? m_first : m_second)->add(file);
}

void LoraFields::takeDefaults(const families::ModelInfo& model) {
    m_takesFirst = model.takes("lora");
    m_takesSecond = model.takes("lora_2");
    setVisible(m_takesFirst);
    m_second->setVisible(m_takesSecond);
}

void LoraFields::read(const protocol::RenderRequest& request) {
    m_first->setChoices(request.lora);
    m_second->setChoices(request.lora2);
}

void LoraFields::write(protocol::RenderRequest& request) const {
    request.lora = m_takesFirst ? m_first->choices() : std::vector<std::string>{};
    request.lora2 = m_takesSecond ? m_second->choices() : std::vector<std::string>{};
}

}  // namespace reelgrid::widgets
