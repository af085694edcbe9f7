#include "app/studio/empty_state.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/studio/recent_comparisons.h"
#include "app/studio/recent_list.h"
#include "widgets/theme/icons.h"

namespace reelgrid::studio {

using widgets::Glyph;

namespace {
constexpr int kLeastForRecent = 190;  // one row
}  // namespace

EmptyState::EmptyState(const RecentComparisons* recent, QWidget* parent) : QWidget(parent) {
    auto* picture = new QLabel;
    const auto showPicture = [picture] {
        picture->setPixmap(widgets::icon(Glyph::Film, widgets::theme::kFaint).pixmap(48, 48));
    };
    connect(new widgets::ThemeWatch(this), &widgets::ThemeWatch::changed, picture, showPicture);
    showPicture();
    picture->setAlignment(Qt::AlignCenter);
    auto* title = new QLabel(tr("See what an attention kernel costs, and what it buys"));
    title->setObjectName("title");
    title->setAlignment(Qt::AlignCenter);
    auto* text = new QLabel(
        tr("Write a prompt on the left and render it: each checked backend gives a clip with the same seed.\n"
           "They play here side by side, frame by frame in step, with their times and metrics below.\n"
           "Or drop clips, or a session file, anywhere in this window."));
    text->setObjectName("quiet");
    text->setAlignment(Qt::AlignCenter);
    text->setWordWrap(true);
    auto* render =
        new QPushButton(widgets::icon(Glyph::Render, widgets::theme::kOnAccent), tr("Render the prompt"));
    render->setObjectName("primary");
    auto* demo = new QPushButton(widgets::icon(Glyph::Film), tr("Open the demo comparison"));
    demo->setToolTip(tr("One prompt by several backends, rendered already: opens at once"));
    auto* fourSteps = new QPushButton(widgets::icon(Glyph::Film), tr("Open the one in four steps"));
    fourSteps->setToolTip(
        tr("20 steps beside 4, those with sparse-linear attention and INT8, too: opens at once"));
    auto* open = new QPushButton(widgets::icon(Glyph::Folder), tr("Open clips or a session…"));
    connect(render, &QPushButton::clicked, this, &EmptyState::renderClicked);
    connect(demo, &QPushButton::clicked, this, &EmptyState::demoClicked);
    connect(fourSteps, &QPushButton::clicked, this, &EmptyState::fourStepsClicked);
    connect(open, &QPushButton::clicked, this, &EmptyState::openClicked);

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(10);
    buttons->addStretch();
    buttons->addWidget(demo);
    buttons->addWidget(fourSteps);
    buttons->addWidget(render);
    buttons->addWidget(open);
    buttons->addStretch();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(32, 16, 32, 16);
    layout->setSpacing(14);
    layout->addStretch();
    layout->addWidget(picture);
    layout->addWidget(title);
    layout->addWidget(text);
    layout->addSpacing(4);
    layout->addLayout(buttons);
    layout->addSpacing(10);

    auto* heading = new QLabel(tr("RECENT COMPARISONS"));
    heading->setObjectName("heading");
    auto* list = new RecentList(recent);
    list->setMinimumHeight(kLeastForRecent);
    connect(list, &RecentList::chosen, this, &EmptyState::recentChosen);
    layout->addWidget(heading);
    layout->addWidget(list, 4);
    layout->addStretch();
    const auto showIfAny = [recent, heading, list] {
        heading->setVisible(!recent->all().empty());
        list->setVisible(!recent->all().empty());
    };
    connect(recent, &RecentComparisons::changed, this, showIfAny);
    showIfAny();
}

}  // namespace reelgrid::studio
