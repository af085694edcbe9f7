#include "widgets/panels/motion_fields.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/panels/form_parts.h"
#include "widgets/theme/icons.h"

namespace reelgrid::widgets {
namespace {

constexpr int kFramesApart = 8;  // of a new row from the last one

QPushButton* plainButton(const QString& text) {
    auto* button = new QPushButton(text);
    button->setObjectName("flat");
    button->setProperty("plain", true);
    return button;
}

}  // namespace

PromptTable::PromptTable(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this)) {
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(2);
    auto* another = plainButton(tr("Add prompt at a frame"));
    another->setToolTip(tr("From there on the clip is told another prompt, blended in from the one before"));
    m_column->addWidget(another, 0, Qt::AlignLeft);
    connect(another, &QPushButton::clicked, this, [this] {
        const auto now = prompts();
        add({now.empty() ? kFramesApart : now.back().frame + kFramesApart, ""});
        m_rows.back().prompt->setFocus();
        Q_EMIT edited();
    });
}

void PromptTable::add(const protocol::PromptAt& at) {
    auto* widget = new QWidget;
    auto* row = new QHBoxLayout(widget);
    row->setContentsMargins(0, 0, 0, 0);
    auto* frame = numberBox(tr("Frame of a prompt"), "--prompt-travel");
    frame->setMinimum(0);
    frame->setValue(at.frame);
    auto* prompt = new QLineEdit(QString::fromStdString(at.prompt));
    prompt->setAccessibleName(tr("Prompt at frame %1").arg(at.frame));
    prompt->setPlaceholderText(tr("What is seen from there on"));
    setOption(prompt, "--prompt-travel");
    auto* without = plainButton({});
    without->setIcon(icon(Glyph::Close));
    without->setToolTip(tr("Render without this prompt"));
    without->setAccessibleName(tr("Remove the prompt at frame %1").arg(at.frame));
    row->addWidget(frame);
    row->addWidget(prompt, 1);
    row->addWidget(without);
    m_column->insertWidget(int(m_rows.size()), widget);
    m_rows.push_back({widget, frame, prompt});
    connect(frame, &QSpinBox::valueChanged, this, &PromptTable::edited);
    connect(prompt, &QLineEdit::textChanged, this, &PromptTable::edited);
    connect(without, &QPushButton::clicked, this, [this, widget] { remove(widget); });
}

void PromptTable::remove(const QWidget* row) {
    const auto found = std::ranges::find(m_rows, row, &Row::widget);
    found->widget->hide();
    found->widget->deleteLater();
    m_rows.erase(found);
    Q_EMIT edited();
}

void PromptTable::setPrompts(const std::vector<protocol::PromptAt>& prompts) {
    if (prompts == this->prompts()) return;
    for (const Row& row : m_rows) delete row.widget;
    m_rows.clear();
    for (const protocol::PromptAt& at : prompts) add(at);
    Q_EMIT edited();
}

std::vector<protocol::PromptAt> PromptTable::prompts() const {
    std::vector<protocol::PromptAt> prompts;
    for (const Row& row : m_rows)
        prompts.push_back({row.frame->value(), row.prompt->text().trimmed().toStdString()});
    std::ranges::stable_sort(prompts, {}, &protocol::PromptAt::frame);
    return prompts;
}

QString PromptTable::problem() const {
    const auto read = protocol::promptTravelFrom(protocol::promptTravelText(prompts()));
    return read ? QString() : QString::fromStdString(read.error().message);
}

MotionFields::MotionFields(QWidget* parent)
    : RequestFields(parent),
      m_travel(new PromptTable),
      m_loop(new QCheckBox(tr("Loop"))),
      m_adapterRow(new QWidget),
      m_adapter(new QLineEdit) {
    m_loop->setToolTip(tr("The clip's end leads to its beginning"));
    setOption(m_loop, "--loop");
    m_adapter->setAccessibleName(tr("Motion adapter"));
    m_adapter->setPlaceholderText(tr("The model's own"));
    m_adapter->setToolTip(tr("Motion modules in place of the model's: a folder, a file or a hub id"));
    setOption(m_adapter, "--motion-adapter");
    auto* adapter = new QHBoxLayout(m_adapterRow);
    adapter->setContentsMargins(0, 0, 0, 0);
    adapter->addWidget(quiet(tr("Motion adapter")));
    adapter->addWidget(m_adapter, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addWidget(m_travel);
    column->addWidget(m_loop);
    column->addWidget(m_adapterRow);
    connect(m_travel, &PromptTable::edited, this, &MotionFields::edited);
    connect(m_loop, &QCheckBox::toggled, this, &MotionFields::edited);
    connect(m_adapter, &QLineEdit::textChanged, this, &MotionFields::edited);
    hide();
}

void MotionFields::takeDefaults(const families::ModelInfo& model) {
    m_takesAdapter = model.takes("motion_adapter");
    m_takesTravel = model.takes("prompt_travel");
    m_takesLoop = model.takes("loop");
    m_adapterRow->setVisible(m_takesAdapter);
    m_travel->setVisible(m_takesTravel);
    m_loop->setVisible(m_takesLoop);
    setVisible(m_takesAdapter || m_takesTravel || m_takesLoop);
}

void MotionFields::read(const protocol::RenderRequest& request) {
    const auto travel = protocol::promptTravelFrom(request.promptTravel);
    m_travel->setPrompts(travel ? *travel : std::vector<protocol::PromptAt>{});
    m_loop->setChecked(request.loop);
    m_adapter->setText(QString::fromStdString(request.motionAdapter.value_or("")));
}

void MotionFields::write(protocol::RenderRequest& request) const {
    request.promptTravel = m_takesTravel ? protocol::promptTravelText(m_travel->prompts()) : "";
    request.loop = m_takesLoop && m_loop->isChecked();
    const std::string adapter = m_adapter->text().trimmed().toStdString();
    request.motionAdapter.reset();
    if (m_takesAdapter && !adapter.empty()) request.motionAdapter = adapter;
}

QString MotionFields::problem() const {
    return m_takesTravel ? m_travel->problem() : QString();
}

}  // namespace reelgrid::widgets
