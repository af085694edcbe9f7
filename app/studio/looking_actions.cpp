#include "app/studio/looking_actions.h"

#include <QMenu>
#include <QMenuBar>
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/studio/actions.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

using session::DifferenceKind;
using session::SyncBy;
using session::ViewMode;
using session::ViewState;

namespace {
constexpr double kGainStep = 2;
constexpr double kZoomStep = 1.5;
constexpr double kTurnDegrees = 45;
constexpr double kShiftSeconds = 0.01;
}  // namespace

LookingActions::LookingActions(widgets::VideoGrid* grid, Actions* keys, QWidget* window)
    : QObject(window), m_grid(grid), m_keys(keys), m_window(window) {
    addModes();
    addPair();
    addDifference();
    addView();
    addPlaying();
    connect(m_grid, &widgets::VideoGrid::lookChanged, this, &LookingActions::showChecks);
    showChecks();
}

QAction* LookingActions::add(const Row& row) {
    auto* action = new QAction(row.text, this);
    action->setObjectName(row.id);
    m_keys->setKeys(action, row.keys);
    action->setStatusTip(row.does);
    action->setToolTip(row.does);
    m_window->addAction(action);
    m_actions.push_back(action);
    return action;
}

void LookingActions::addChange(const Row& row, Change change) {
    connect(add(row), &QAction::triggered, this, [this, change = std::move(change)] {
        ViewState look = m_grid->look();
        change(look);
        m_grid->setLook(look);
    });
}

void LookingActions::addChoice(const Row& row, Change change, Holds holds) {
    addChange(row, std::move(change));
    m_actions.back()->setCheckable(true);
    m_choices.emplace_back(m_actions.back(), std::move(holds));
}

void LookingActions::showChecks() {
    for (const auto& [action, holds] : m_choices) action->setChecked(holds(m_grid->look()));
}

void LookingActions::addModes() {
    const auto mode = [this](ViewMode its, const Row& row) {
        addChoice(
            row, [its](ViewState& look) { look.mode = its; },
            [its](const ViewState& look) { return look.mode == its; });
    };
    mode(ViewMode::Grid, {"look-grid", tr("&Grid"), "G", tr("Shows every clip in a tile of its own")});
    mode(ViewMode::Wipe, {"look-wipe", tr("&Wipe"), "W",
                          tr("Two clips over each other, parted by a line to drag and to turn")});
    mode(ViewMode::Difference,
         {"look-difference", tr("&Difference"), "D", tr("Shows where each clip differs from the reference")});
    mode(ViewMode::OnionSkin,
         {"look-onion-skin", tr("&Onion skin"), "A", tr("Shows one clip through the other")});
    mode(ViewMode::Flicker, {"look-flicker", tr("&Flicker"), "B", tr("Shows two clips in turns")});
    m_actions.push_back(nullptr);
}

void LookingActions::addPair() {
    addChange({"look-reference", tr("Selected tile as &reference"), "R",
               tr("Holds the others against the selected tile")},
              [this](ViewState& look) {
                  if (m_grid->selected() >= 0) look.reference = m_grid->selected();
              });
    addChange({"look-next-other", tr("&Next clip against the reference"), "E",
               tr("Holds the next clip against the reference")},
              [this](ViewState& look) {
                  const int count = m_grid->tileCount();
                  const int held = m_grid->scene().reference();
                  if (count < 2) return;
                  look.other = (m_grid->scene().other() + 1) % count;
                  if (look.other == held) look.other = (look.other + 1) % count;
              });
    addChange({"look-exchange", tr("E&xchange the two"), "Shift+E",
               tr("The reference becomes the other one, and the other one the reference")},
              [this](ViewState& look) {
                  const int other = m_grid->scene().other();
                  if (other < 0) return;
                  look.other = m_grid->scene().reference();
                  look.reference = other;
              });
    m_actions.push_back(nullptr);
}

void LookingActions::addDifference() {
    const auto kind = [this](DifferenceKind its, const Row& row) {
        addChoice(
            row,
            [its](ViewState& look) {
                look.mode = ViewMode::Difference;
                look.difference = its;
            },
            [its](const ViewState& look) { return look.difference == its; });
    };
    kind(DifferenceKind::Signed,
         {"difference-signed", tr("&Signed difference"), "", tr("Grey where nothing differs")});
    kind(DifferenceKind::Absolute, {"difference-absolute", tr("&Absolute difference"), "",
                                    tr("Black where nothing differs, as large as it is")});
    kind(DifferenceKind::Amplified, {"difference-amplified", tr("A&mplified difference"), "",
                                     tr("The absolute difference times a gain")});
    kind(DifferenceKind::HeatMap,
         {"difference-heat", tr("&Heat map"), "H", tr("The largest channel's difference in colours")});
    addChange({"difference-more", tr("More &gain"), "+", tr("Shows differences twice as large")},
              [](ViewState& look) { look.gain = std::min(look.gain * kGainStep, 128.0); });
    addChange({"difference-less", tr("&Less gain"), "-", tr("Shows differences half as large")},
              [](ViewState& look) { look.gain = std::max(look.gain / kGainStep, 1.0); });
    m_actions.push_back(nullptr);
}

void LookingActions::addView() {
    addChange({"wipe-turn", tr("&Turn the wipe"), "Shift+W", tr("Turns the wipe's line by 45°")},
              [](ViewState& look) {
                  look.wipe.angleDegrees = std::remainder(look.wipe.angleDegrees + kTurnDegrees, 360);
              });
    addChange({"wipe-reset", tr("Wipe in the m&iddle"), "", tr("Puts the wipe's line upright in the middle")},
              [](ViewState& look) { look.wipe = {}; });
    addChoice(
        {"pixel-values", tr("Pixel &values"), "V",
         tr("Shows every tile's colour at the pointer, and how it differs from the reference's")},
        [](ViewState& look) { look.pixelValues = !look.pixelValues; },
        [](const ViewState& look) { return look.pixelValues; });
    const auto zoom = [this](const Row& row, double factor) {
        connect(add(row), &QAction::triggered, this, [this, factor] {
            m_grid->zoomAbout(m_grid->scene().probe.value_or(m_grid->scene().view().center()), factor);
        });
    };
    zoom({"zoom-in", tr("&Zoom in"), "Z", tr("Magnifies all pictures at the pointer")}, kZoomStep);
    zoom({"zoom-out", tr("Zoom o&ut"), "Shift+Z", tr("Shows more of all pictures")}, 1 / kZoomStep);
    connect(add({"zoom-reset", tr("Whole &pictures"), "", tr("Ends the zoom")}), &QAction::triggered, m_grid,
            &widgets::VideoGrid::resetZoom);
    m_actions.push_back(nullptr);
}

void LookingActions::addPlaying() {
    addChoice(
        {"sync-index", tr("Hold clips together by &frame number"), "T",
         tr("Frame 12 of every clip at once, whatever its rate; else what is due at the same time")},
        [](ViewState& look) { look.sync = look.sync == SyncBy::Time ? SyncBy::FrameIndex : SyncBy::Time; },
        [](const ViewState& look) { return look.sync == SyncBy::FrameIndex; });
    const auto shift = [this](const Row& row, session::ClipOffset by) {
        connect(add(row), &QAction::triggered, this, [this, by] { shiftSelected(by); });
    };
    shift({"offset-frame-on", tr("Selected clip one frame &ahead"), "Alt+Up",
           tr("Shifts the selected clip against the others")},
          {0, 1});
    shift({"offset-frame-back", tr("Selected clip one frame &behind"), "Alt+Down",
           tr("Shifts the selected clip against the others")},
          {0, -1});
    shift({"offset-time-on", tr("Selected clip 10 ms ahead"), "Alt+Shift+Up",
           tr("Shifts the selected clip against the others")},
          {kShiftSeconds, 0});
    shift({"offset-time-back", tr("Selected clip 10 ms behind"), "Alt+Shift+Down",
           tr("Shifts the selected clip against the others")},
          {-kShiftSeconds, 0});
    addChange({"offset-reset", tr("&No shifts"), "Alt+0", tr("Clips begin together again")},
              [](ViewState& look) { look.offsets.clear(); });
}

void LookingActions::shiftSelected(const session::ClipOffset& by) {
    const int tile = m_grid->selected();
    if (tile < 0) return;
    ViewState look = m_grid->look();
    look.offsets.resize(std::max(look.offsets.size(), std::size_t(tile) + 1));
    session::ClipOffset& offset = look.offsets[std::size_t(tile)];
    offset.seconds += by.seconds;
    offset.frames += by.frames;
    m_grid->setLook(look);
}

QAction* LookingActions::find(const QString& id) const {
    const auto found = std::ranges::find_if(
        m_actions, [&](const QAction* action) { return action != nullptr && action->objectName() == id; });
    return found == m_actions.end() ? nullptr : *found;
}

void LookingActions::addTo(QMenuBar& menus) {
    QMenu* menu = menus.addMenu(tr("&Look"));
    for (QAction* action : m_actions) {
        if (action == nullptr)
            menu->addSeparator();
        else
            menu->addAction(action);
    }
}

}  // namespace reelgrid::studio
