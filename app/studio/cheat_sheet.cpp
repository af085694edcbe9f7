#include "app/studio/cheat_sheet.h"

#include <QDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
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
        // Nine rows that differ by their number say no more than one.
        const QString id = place.action->objectName();
        if (id.startsWith("tile-") && id != "tile-1") continue;
        const QString title = place.menu.section(QString::fromUtf8(" › "), 0, 0);
        if (sections.empty() || sections.back().title != title) sections.push_back({title, {}});
        if (id == "tile-1")
            sections.back().rows.push_back(
                {QString::fromUtf8("1 … 9"), QObject::tr("One tile alone, or all again"), {}});
        else  // what undo would take back is no part of its name
            sections.back().rows.push_back(
                {keys, plainText(*place.action).section(": ", 0, 0), place.action->statusTip()});
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

namespace {

/// The sections in this many columns, about equally long.
QWidget* inColumns(const std::vector<Section>& sections, std::size_t most) {
    std::size_t rows = 0;
    for (const Section& section : sections) rows += section.rows.size() + 2;
    auto* content = new QWidget;
    auto* columns = new QHBoxLayout(content);
    columns->setSpacing(28);
    QVBoxLayout* column = nullptr;
    std::size_t done = 0;
    std::size_t count = 0;
    for (const Section& section : sections) {
        const std::size_t own = section.rows.size() + 2;
        // A section is where its middle is, were the columns one below the other.
        if (column == nullptr || (done + own / 2 >= count * rows / most && count < most)) {
            column = new QVBoxLayout;
            columns->addLayout(column);
            ++count;
        }
        column->addWidget(widgetOf(section));
        done += own;
    }
    for (int i = 0; i < columns->count(); ++i)
        static_cast<QVBoxLayout*>(columns->itemAt(i)->layout())->addStretch();
    return content;
}

}  // namespace

void showCheatSheet(const QMenuBar& menus, QWidget* parent) {
    constexpr QSize kAround(50, 40);
    const QSize screen = parent->screen()->availableSize() * 0.94;
    const std::vector<Section> sections = sectionsOf(menus);
    QWidget* content = nullptr;
    // As many columns as the screen is wide enough for; some languages need more room than others.
    for (std::size_t most = 4; most >= 1; --most) {
        delete content;
        content = inColumns(sections, most);
        if (content->sizeHint().width() + kAround.width() <= screen.width()) break;
    }
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    auto* dialog = new QDialog(parent);
    dialog->setObjectName("keys");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(QObject::tr("Keys"));
    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(scroll);
    dialog->resize((content->sizeHint() + kAround).boundedTo(screen));
    dialog->show();
}

}  // namespace reelgrid::studio
