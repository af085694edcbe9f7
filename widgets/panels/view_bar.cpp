#include "widgets/panels/view_bar.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QSlider>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/panels/form_parts.h"
#include "widgets/video_grid/player.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::widgets {

using session::DifferenceKind;
using session::SyncBy;
using session::ViewMode;
using session::ViewState;

namespace {

constexpr std::array kModes{ViewMode::Grid, ViewMode::Wipe, ViewMode::Difference, ViewMode::OnionSkin,
                            ViewMode::Flicker};
constexpr std::array kMemoryMegabytes{256, 512, 768, 1024, 1280, 2048, 4096};
constexpr double kMegabyte = 1 << 20;
constexpr int kMemoryInterval = 500;  // milliseconds between looks at it

template <class Field>
Field* named(Field* field, const QString& name, const QString& toolTip) {
    field->setAccessibleName(name);
    field->setToolTip(toolTip);
    field->setFocusPolicy(qobject_cast<QAbstractSpinBox*>(field) != nullptr ? Qt::StrongFocus : Qt::TabFocus);
    return field;
}

QComboBox* tileChoice(const QString& name, const QString& toolTip) {
    auto* box = named(new QComboBox, name, toolTip);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(7);
    return box;
}

}  // namespace

ViewBar::ViewBar(VideoGrid* grid, Player* player, QWidget* parent)
    : QWidget(parent), m_grid(grid), m_player(player) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(4);
    // What a mode shows of it must not move the window's other parts.
    row->setSizeConstraint(QLayout::SetNoConstraint);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    addModes(*row);
    addPair(*row);
    addDifference(*row);
    addTwoPictures(*row);
    row->addStretch(1);
    addPlaying(*row);
    addMemory(*row);
    connect(m_grid, &VideoGrid::lookChanged, this, &ViewBar::showLook);
    connect(m_grid, &VideoGrid::tilesChanged, this, &ViewBar::showTiles);
    connect(m_grid, &VideoGrid::selectionChanged, this, &ViewBar::showLook);
    connect(m_player, &Player::stateChanged, this, &ViewBar::showMemory);
    auto* timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this, &ViewBar::showMemory);
    timer->start(kMemoryInterval);
    showTiles();
}

void ViewBar::change(const Edit& edit) {
    if (m_showing) return;
    ViewState look = m_grid->look();
    edit(look);
    m_grid->setLook(look);
}

void ViewBar::addModes(QHBoxLayout& row) {
    const std::array names{tr("Grid"), tr("Wipe"), tr("Difference"), tr("Onion skin"), tr("Flicker")};
    const std::array tips{tr("Every clip in its own tile (G)"),
                          tr("Two clips parted by a line: drag it, turn it by a handle (W)"),
                          tr("Where each clip differs from the reference (D)"),
                          tr("One clip through the other (A)"), tr("Two clips in turns (B)")};
    for (std::size_t i = 0; i < kModes.size(); ++i) {
        auto* button = named(new QPushButton(names[i]), names[i], tips[i]);
        button->setObjectName("segment");
        button->setCheckable(true);
        button->setAutoExclusive(true);
        connect(button, &QPushButton::clicked, this,
                [this, mode = kModes[i]] { change([mode](ViewState& look) { look.mode = mode; }); });
        row.addWidget(button);
        m_modes.push_back(button);
    }
    m_mode = named(new QComboBox, tr("How the clips are looked at"),
                   tr("Grid, wipe, difference, onion skin, flicker"));
    for (const QString& name : names) m_mode->addItem(name);
    m_mode->hide();
    connect(m_mode, &QComboBox::activated, this,
            [this](int mode) { change([mode](ViewState& look) { look.mode = kModes[std::size_t(mode)]; }); });
    row.addWidget(m_mode);
    row.addSpacing(6);
}

void ViewBar::addPair(QHBoxLayout& row) {
    m_reference = tileChoice(tr("Reference"), tr("What the others are held against (R: the selected tile)"));
    m_other = tileChoice(tr("Held against the reference"), tr("What is held against it (E: the next one)"));
    connect(m_reference, &QComboBox::activated, this,
            [this](int tile) { change([tile](ViewState& look) { look.reference = tile; }); });
    connect(m_other, &QComboBox::activated, this,
            [this](int tile) { change([tile](ViewState& look) { look.other = tile; }); });
    row.addWidget(m_reference);
    row.addWidget(m_other);
}

void ViewBar::addDifference(QHBoxLayout& row) {
    m_kind = named(new QComboBox, tr("Kind of difference"), tr("How differences are shown (H: heat map)"));
    m_kind->addItems({tr("Signed"), tr("Absolute"), tr("Amplified"), tr("Heat map")});
    connect(m_kind, &QComboBox::activated, this, [this](int kind) {
        change([kind](ViewState& look) { look.difference = DifferenceKind(kind); });
    });
    m_gain = named(new DecimalBox, tr("Gain"), tr("Times what differences are shown (+ and -)"));
    m_gain->setRange(1, 255);
    m_gain->setDecimals(0);
    m_gain->setPrefix(QChar(0xd7));
    connect(m_gain, &QDoubleSpinBox::valueChanged, this,
            [this](double gain) { change([gain](ViewState& look) { look.gain = gain; }); });
    row.addWidget(m_kind);
    row.addWidget(m_gain);
}

void ViewBar::addTwoPictures(QHBoxLayout& row) {
    m_angle = named(new DecimalBox, tr("Angle"), tr("Of the wipe's line: 90° is upright (Shift+W: turn)"));
    m_angle->setRange(-180, 180);
    m_angle->setDecimals(0);
    m_angle->setWrapping(true);
    m_angle->setSuffix(QChar(0xb0));
    connect(m_angle, &QDoubleSpinBox::valueChanged, this,
            [this](double angle) { change([angle](ViewState& look) { look.wipe.angleDegrees = angle; }); });
    m_opacity = named(new QSlider(Qt::Horizontal), tr("Opacity"), tr("Of the clip in front"));
    m_opacity->setRange(0, 100);
    m_opacity->setFixedWidth(110);
    connect(m_opacity, &QSlider::valueChanged, this, [this](int percent) {
        change([percent](ViewState& look) { look.onionOpacity = percent / 100.0; });
    });
    m_rate = named(new DecimalBox, tr("Flicker rate"), tr("Changes a second"));
    m_rate->setRange(0.5, 20);
    m_rate->setDecimals(1);
    m_rate->setSuffix(tr(" Hz"));
    connect(m_rate, &QDoubleSpinBox::valueChanged, this,
            [this](double rate) { change([rate](ViewState& look) { look.flickerHz = rate; }); });
    row.addWidget(m_angle);
    row.addWidget(m_opacity);
    row.addWidget(m_rate);
}

void ViewBar::addPlaying(QHBoxLayout& row) {
    m_frames = named(new QSpinBox, tr("Shift in frames"),
                     tr("How many frames the selected clip is ahead of the others (Alt+Up, Alt+Down)"));
    m_frames->setRange(-100000, 100000);
    m_frames->setSuffix(tr(" fr"));
    m_milliseconds =
        named(new QSpinBox, tr("Shift in milliseconds"),
              tr("How far the selected clip is ahead of the others (Alt+Shift+Up, Alt+Shift+Down)"));
    m_milliseconds->setRange(-3600000, 3600000);
    m_milliseconds->setSingleStep(10);
    m_milliseconds->setSuffix(tr(" ms"));
    const auto shifted = [this] {
        const int tile = m_grid->selected();
        if (tile < 0) return;
        change([this, tile](ViewState& look) {
            look.offsets.resize(std::max(look.offsets.size(), std::size_t(tile) + 1));
            look.offsets[std::size_t(tile)] = {m_milliseconds->value() / 1000.0, m_frames->value()};
        });
    };
    connect(m_frames, &QSpinBox::valueChanged, this, shifted);
    connect(m_milliseconds, &QSpinBox::valueChanged, this, shifted);
    m_sync = named(new QComboBox, tr("Clips are held together"),
                   tr("By time, or the same frame number of every clip (T)"));
    m_sync->addItems({tr("By time"), tr("By frame")});
    connect(m_sync, &QComboBox::activated, this,
            [this](int sync) { change([sync](ViewState& look) { look.sync = SyncBy(sync); }); });
    row.addWidget(m_frames);
    row.addWidget(m_milliseconds);
    row.addWidget(m_sync);
}

void ViewBar::addMemory(QHBoxLayout& row) {
    m_memory = named(new QToolButton, tr("Memory of frames"),
                     tr("What decoded frames take, and the most that they may take: click to change it"));
    m_memory->setObjectName("flat");
    m_memory->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_memory);
    for (const int megabytes : kMemoryMegabytes)
        menu->addAction(tr("At most %1 MB").arg(megabytes), this, [this, megabytes] {
            m_player->setCacheBytes(std::size_t(megabytes) << 20);
            showMemory();
        });
    m_memory->setMenu(menu);
    row.addWidget(m_memory);
}

void ViewBar::showTiles() {
    m_showing = true;
    for (QComboBox* box : {m_reference, m_other}) {
        box->clear();
        for (const GridScene::Tile& tile : m_grid->scene().tiles) box->addItem(tile.what.label);
    }
    m_showing = false;
    showLook();
}

void ViewBar::showLook() {
    const ViewState& look = m_grid->look();
    const GridScene& scene = m_grid->scene();
    const bool two =
        look.mode == ViewMode::Wipe || look.mode == ViewMode::OnionSkin || look.mode == ViewMode::Flicker;
    const bool difference = look.mode == ViewMode::Difference;
    m_showing = true;
    for (std::size_t i = 0; i < kModes.size(); ++i) m_modes[i]->setChecked(kModes[i] == look.mode);
    m_mode->setCurrentIndex(int(std::ranges::find(kModes, look.mode) - kModes.begin()));
    m_reference->setCurrentIndex(scene.reference());
    m_other->setCurrentIndex(scene.other());
    m_kind->setCurrentIndex(int(look.difference));
    m_gain->setValue(look.gain);
    m_angle->setValue(std::remainder(look.wipe.angleDegrees, 360));
    m_opacity->setValue(int(std::lround(100 * look.onionOpacity)));
    m_rate->setValue(look.flickerHz);
    m_sync->setCurrentIndex(int(look.sync));
    m_reference->setVisible(two || difference);
    m_other->setVisible(two);
    m_kind->setVisible(difference);
    m_gain->setVisible(difference && look.difference != DifferenceKind::Absolute);
    m_angle->setVisible(look.mode == ViewMode::Wipe);
    m_opacity->setVisible(look.mode == ViewMode::OnionSkin);
    m_rate->setVisible(look.mode == ViewMode::Flicker);
    showOffset();
    m_showing = false;
    showMemory();
    fit();
}

/// The modes as buttons where all has room, else in a list; in the narrowest windows without the memory.
void ViewBar::fit() {
    const auto widthOf = [this](auto counts) {
        int width = 0;
        for (int i = 0; i < layout()->count(); ++i) {
            const QWidget* each = layout()->itemAt(i)->widget();
            if (each != nullptr && counts(each)) width += each->sizeHint().width() + layout()->spacing();
        }
        return width;
    };
    const auto isMode = [this](const QWidget* each) {
        return std::ranges::any_of(m_modes, [each](const QWidget* mode) { return mode == each; });
    };
    const int others = widthOf([&](const QWidget* each) {
        return !isMode(each) && each != m_mode && each != m_memory && !each->isHidden();
    });
    const int memory = m_memory->sizeHint().width() + layout()->spacing();
    const bool asButtons = others + memory + widthOf(isMode) <= width();
    for (QPushButton* mode : m_modes) mode->setVisible(asButtons);
    m_mode->setVisible(!asButtons);
    m_memory->setVisible(asButtons || others + memory + m_mode->sizeHint().width() <= width());
}

void ViewBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

void ViewBar::showOffset() {
    const int tile = m_grid->selected();
    const auto& offsets = m_grid->look().offsets;
    const session::ClipOffset offset =
        tile >= 0 && tile < int(offsets.size()) ? offsets[std::size_t(tile)] : session::ClipOffset{};
    m_frames->setValue(offset.frames);
    m_milliseconds->setValue(int(std::lround(1000 * offset.seconds)));
    m_frames->setVisible(tile >= 0);
    m_milliseconds->setVisible(tile >= 0);
}

void ViewBar::showMemory() {
    m_memory->setText(tr("%1 / %2 MB")
                          .arg(std::lround(double(m_player->cachedBytes()) / kMegabyte))
                          .arg(std::lround(double(m_player->cacheBytes()) / kMegabyte)));
}

}  // namespace reelgrid::widgets
