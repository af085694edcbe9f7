#include "app/studio/model_browser.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/catalog/known_models.h"
#include "widgets/theme/local_number.h"
#include "widgets/theme/qt_text.h"

namespace reelgrid::studio {

namespace {

constexpr int kIdRole = Qt::UserRole;
constexpr int kPresentRole = Qt::UserRole + 1;

using widgets::text;

QString bytesText(double bytes) {
    if (bytes < 1e9) return QObject::tr("%1 MB").arg(widgets::fixedText(bytes / 1e6, bytes < 1e7 ? 1 : 0));
    return QObject::tr("%1 GB").arg(widgets::fixedText(bytes / 1e9, 1));
}

QString parametersText(std::int64_t count) {
    if (count == 0) return {};
    if (count < 1'000'000'000)
        return QObject::tr("%1 M parameters").arg(widgets::fixedText(double(count) / 1e6, 1));
    return QObject::tr("%1 B parameters").arg(widgets::fixedText(double(count) / 1e9, 2));
}

/// Of the weights alone, in two bytes each; what a render takes beside them depends on its size.
double leastMemory(const families::ModelInfo& model) {
    double bytes = 0;
    for (const families::ComponentInfo& component : model.components)
        bytes += 2.0 * double(component.parameters);
    return bytes;
}

QStringList lineOf(const families::ComponentInfo& component) {
    QStringList dtypes;
    for (const std::string& dtype : component.dtypes) dtypes.append(text(dtype));
    QStringList line;
    line.resize(ModelBrowser::ColumnCount);
    line[ModelBrowser::Name] = text(component.name) + "  " + text(component.className);
    line[ModelBrowser::Disk] = bytesText(double(component.bytes));
    if (component.parameters > 0) line[ModelBrowser::Memory] = bytesText(2.0 * double(component.parameters));
    line[ModelBrowser::Size] = parametersText(component.parameters);
    line[ModelBrowser::Where] = dtypes.join(", ");
    return line;
}

}  // namespace

ModelBrowser::ModelBrowser(const std::vector<families::ModelInfo>& models, QWidget* parent)
    : QWidget(parent),
      m_tree(new QTreeWidget),
      m_advice(new QLabel),
      m_use(new QPushButton(tr("Render with this model"))) {
    m_tree->setAccessibleName(tr("Models"));
    m_tree->setHeaderLabels({tr("Model"), tr("Present"), tr("On disk"), tr("Weights in 16 bit"),
                             tr("Renders by default"), tr("Where")});
    m_tree->setAlternatingRowColors(true);
    m_tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_tree->header()->setSectionResizeMode(Where, QHeaderView::Stretch);
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_advice->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_advice->setWordWrap(true);
    m_advice->setTextFormat(Qt::PlainText);
    auto* foot = new QHBoxLayout;
    foot->addWidget(m_advice, 1);
    foot->addWidget(m_use);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(m_tree, 1);
    layout->addLayout(foot);
    for (const families::ModelInfo& model : models) addPresent(model);
    for (const catalog::KnownModel& known : catalog::knownModels())
        if (std::ranges::find(models, std::string(known.id), &families::ModelInfo::id) == models.end())
            addMissing(text(known.id), text(known.title));
    connect(m_tree, &QTreeWidget::currentItemChanged, this, &ModelBrowser::showChoice);
    connect(m_use, &QPushButton::clicked, this, [this] {
        QTreeWidgetItem* item = m_tree->currentItem();
        if (item->parent() != nullptr) item = item->parent();
        Q_EMIT used(item->data(Name, kIdRole).toString());
    });
    setMinimumSize(640, 320);
    if (m_tree->topLevelItemCount() > 0) m_tree->setCurrentItem(m_tree->topLevelItem(0));
    showChoice();
}

void ModelBrowser::addPresent(const families::ModelInfo& model) {
    const families::RenderDefaults& defaults = model.defaults;
    auto* item = new QTreeWidgetItem(m_tree);
    item->setText(Name, text(model.title));
    item->setText(Present, tr("yes"));
    item->setText(Disk, bytesText(double(model.bytes())));
    item->setText(Memory, bytesText(leastMemory(model)));
    item->setText(Size, tr("%1×%2, %3 frames, %4 steps")
                            .arg(defaults.width)
                            .arg(defaults.height)
                            .arg(defaults.numFrames)
                            .arg(defaults.numInferenceSteps));
    item->setText(Where, text(model.folder.string()));
    item->setToolTip(Where, text(model.folder.string()));
    item->setToolTip(Name, text(model.id));
    item->setData(Name, kIdRole, text(model.id));
    item->setData(Name, kPresentRole, true);
    for (const families::ComponentInfo& component : model.components)
        item->addChild(new QTreeWidgetItem(lineOf(component)));
    item->setExpanded(m_tree->topLevelItemCount() == 1);
}

void ModelBrowser::addMissing(const QString& id, const QString& title) {
    auto* item = new QTreeWidgetItem(m_tree);
    item->setText(Name, title);
    item->setText(Present, tr("no"));
    item->setText(Where, "huggingface.co/" + id);
    item->setData(Name, kIdRole, id);
    item->setData(Name, kPresentRole, false);
}

void ModelBrowser::choose(const QString& id) {
    for (int i = 0; i < m_tree->topLevelItemCount(); ++i)
        if (m_tree->topLevelItem(i)->data(Name, kIdRole).toString() == id)
            m_tree->setCurrentItem(m_tree->topLevelItem(i));
}

QSize ModelBrowser::sizeHint() const {
    return {1080, 460};
}

QString ModelBrowser::advice() const {
    return m_advice->text();
}

void ModelBrowser::showChoice() {
    QTreeWidgetItem* item = m_tree->currentItem();
    if (item != nullptr && item->parent() != nullptr) item = item->parent();
    const bool present = item != nullptr && item->data(Name, kPresentRole).toBool();
    m_use->setEnabled(present);
    m_advice->setText(present || item == nullptr
                          ? QString()
                          : tr("Not on this machine. To get it: reelgrid-cli models download %1")
                                .arg(item->data(Name, kIdRole).toString()));
}

}  // namespace reelgrid::studio
