#include "app/studio/cheat_sheet.h"

#include <QDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <vector>

#include "app/studio/actions.h"
#include "widgets/theme/theme.h"

namespace reelgrid::studio {

namespace {

struct Row {
    QString keys;
    QString text;
    QString does;
};
struct Section {
    QString title;
    std::vector<Row> rows;
};

std::vector<Section> sectionsOf(const QMenuBar& menus) {
    std::vector<Section> sections;
    for (const MenuPlace& place : actionsIn(menus)) {
        const QString keys = keysText(*place.action);
        if (keys.isEmpty()) continue;
        const QString title = place.menu.section(QString::fromUtf8(" › "), 0, 0);
        if (sections.empty() || sections.back().title != title) sections.push_back({title, {}});
        sections.back().rows.push_back({keys, plainText(*place.action), place.action->statusTip()});
    }
    sections.push_back({QObject::tr("Mouse"),
                        {{QObject::tr("wheel"), QObject::tr("Zoom all pictures together"), {}},
                         {QObject::tr("drag"), QObject::tr("Move all pictures together"), {}},
                         {QObject::tr("click"), QObject::tr("Select a tile"), {}},
                         {QObject::tr("double click"), QObject::tr("Show a tile alone, or all again"), {}},
                         {QObject::tr("click a chart"), QObject::tr("Go to that time"), {}},
                         {QObject::tr("drop files"), QObject::tr("Open clips or a session"), {}}}});
    return sections;
}

QWidget* widgetOf(const Section& section) {
    auto* widget = new QWidget;
    auto* grid = new QGridLayout(widget);
    grid->setContentsMargins(0, 0, 0, 10);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(4);
    auto* title = new QLabel(section.title.toUpper());
    title->setObjectName("heading");
    grid->addWidget(title, 0, 0, 1, 2);
    int row = 1;
    for (const Row& each : section.rows) {
        auto* keys = new QLabel(each.keys);
        keys->setObjectName("key");
        keys->setTextFormat(Qt::PlainText);
        auto* text = new QLabel(each.text);
        text->setTextFormat(Qt::PlainText);
        text->setToolTip(each.does);
        grid->addWidget(keys, row, 0, Qt::AlignLeft | Qt::AlignVCenter);
        grid->addWidget(text, row++, 1);
    }
    grid->setColumnStretch(1, 1);
    return widget;
}

}  // namespace

void showCheatSheet(const QMenuBar& menus, QWidget* parent) {
    constexpr std::size_t kColumns = 3;
    const std::vector<Section> sections = sectionsOf(menus);
    std::size_t rows = 0;
    for (const Section& section : sections) rows += section.rows.size() + 2;
    auto* content = new QWidget;
    auto* columns = new QHBoxLayout(content);
    columns->setSpacing(28);
    QVBoxLayout* column = nullptr;
    std::size_t filled = 0;
    std::size_t count = 0;
    for (const Section& section : sections) {
        if (column == nullptr || (filled >= rows / kColumns && count < kColumns)) {
            column = new QVBoxLayout;
            columns->addLayout(column);
            filled = 0;
            ++count;
        }
        column->addWidget(widgetOf(section));
        filled += section.rows.size() + 2;
    }
    for (int i = 0; i < columns->count(); ++i)
        static_cast<QVBoxLayout*>(columns->itemAt(i)->layout())->addStretch();

    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    auto* dialog = new QDialog(parent);
    dialog->setObjectName("keys");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(QObject::tr("Keys"));
    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(scroll);
    dialog->resize(widgets::theme::scaled(1120), widgets::theme::scaled(700));
    dialog->show();
}

}  // namespace reelgrid::studio
