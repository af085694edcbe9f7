#include "widgets/panels/transport_bar.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include <array>

#include "widgets/panels/clock_text.h"
#include "widgets/panels/timeline_slider.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/local_number.h"
#include "widgets/video_grid/player.h"

namespace reelgrid::widgets {

namespace {
constexpr std::array kSpeeds{0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0};
constexpr int kNormalSpeed = 3;
constexpr int kNarrow = 800;  // logical pixels
constexpr int kLeastWidth = 480;
constexpr int kUsualFrames = 9999;

QString nameOfSpeed(double speed) {
    return significantText(speed, 3) + QChar(0xd7);
}
}  // namespace

TransportBar::TransportBar(Player* player, QWidget* parent)
    : QWidget(parent),
      m_player(player),
      m_slider(new TimelineSlider),
      m_first(addButton(tr("First frame"), tr("First frame (Home)"))),
      m_back(addButton(tr("Step back"), tr("One frame back (←)"))),
      m_play(addButton(tr("Play"), tr("Play or pause (Space)"))),
      m_forward(addButton(tr("Step forward"), tr("One frame forward (→)"))),
      m_last(addButton(tr("Last frame"), tr("Last frame (End)"))),
      m_loop(addButton(tr("Loop"), tr("Repeat the whole comparison (Shift+L); I and O mark a range"))),
      m_speed(new QComboBox),
      m_readout(new QLabel) {
    m_first->setIcon(icon(Glyph::First));
    m_back->setIcon(icon(Glyph::StepBack));
    m_forward->setIcon(icon(Glyph::StepForward));
    m_last->setIcon(icon(Glyph::Last));
    m_play->setIconSize({24, 24});
    m_loop->setCheckable(true);
    for (const double speed : kSpeeds) m_speed->addItem(nameOfSpeed(speed));
    m_speed->setCurrentIndex(kNormalSpeed);
    m_speed->setToolTip(tr("Speed ([ and ], Backspace for 1×)"));
    m_speed->setAccessibleName(tr("Speed"));
    m_speed->setFocusPolicy(Qt::TabFocus);
    m_speed->setMinimumWidth(80);
    m_speed->setSizeAdjustPolicy(QComboBox::AdjustToContents);  // a speed of one's own may be longer
    m_readout->setFont([] {
        QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
        font.setPixelSize(theme::scaled(12));
        return font;
    }());
    m_readout->setTextFormat(Qt::PlainText);
    m_readout->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(4, 4, 4, 4);
    setMinimumWidth(theme::scaled(kLeastWidth));
    layout->setSpacing(3);
    for (QToolButton* button : {m_first, m_back, m_play, m_forward, m_last}) layout->addWidget(button);
    layout->addSpacing(6);
    layout->addWidget(m_slider, 1);
    layout->addSpacing(6);
    layout->addWidget(m_readout);
    layout->addSpacing(8);
    layout->addWidget(m_loop);
    layout->addWidget(m_speed);

    connect(m_first, &QToolButton::clicked, m_player, [this] { m_player->seekToStop(0); });
    connect(m_last, &QToolButton::clicked, m_player,
            [this] { m_player->seekToStop(m_player->clock().timeline().stopCount() - 1); });
    connect(m_back, &QToolButton::clicked, m_player, [this] { m_player->step(-1); });
    connect(m_forward, &QToolButton::clicked, m_player, [this] { m_player->step(1); });
    connect(m_play, &QToolButton::clicked, m_player, &Player::togglePlay);
    connect(m_loop, &QToolButton::clicked, m_player,
            [this](bool on) { m_player->setLoop(on ? LoopMode::Whole : LoopMode::Off); });
    connect(m_speed, &QComboBox::currentIndexChanged, m_player, [this](int index) {
        if (index < int(kSpeeds.size())) m_player->setSpeed(kSpeeds[std::size_t(index)]);
    });
    connect(m_slider, &TimelineSlider::seekRequested, m_player, &Player::seek);
    connect(m_player, &Player::stateChanged, this, &TransportBar::showState);
    connect(m_player, &Player::timelineChanged, this, &TransportBar::showTimeline);
    connect(m_player, &Player::composed, this, &TransportBar::showPosition);
    showState();
    showTimeline();
}

QToolButton* TransportBar::addButton(const QString& name, const QString& toolTip) {
    auto* button = new QToolButton;
    button->setObjectName("flat");
    button->setAccessibleName(name);
    button->setToolTip(toolTip);
    button->setIconSize({20, 20});
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

void TransportBar::showState() {
    const PlaybackClock& clock = m_player->clock();
    m_play->setIcon(icon(clock.playing() ? Glyph::Pause : Glyph::Play));
    m_play->setAccessibleName(clock.playing() ? tr("Pause") : tr("Play"));
    m_loop->setChecked(clock.loop() != LoopMode::Off);
    m_loop->setIcon(icon(Glyph::Loop, clock.loop() == LoopMode::Off ? theme::kQuiet : theme::kAccent));
    if (clock.loop() == LoopMode::Range && !clock.timeline().empty())
        m_slider->setRange(clock.timeline().stop(clock.loopFirstStop()),
                           clock.timeline().endOfStop(clock.loopLastStop()));
    else
        m_slider->setRange(0, 0);
    const QSignalBlocker quiet(m_speed);
    while (m_speed->count() > int(kSpeeds.size())) m_speed->removeItem(m_speed->count() - 1);
    for (std::size_t i = 0; i < kSpeeds.size(); ++i)
        if (std::abs(kSpeeds[i] - clock.speed()) < 1e-6) return m_speed->setCurrentIndex(int(i));
    m_speed->addItem(nameOfSpeed(clock.speed()));
    m_speed->setCurrentIndex(m_speed->count() - 1);
}

void TransportBar::showTimeline() {
    const Timeline& timeline = m_player->clock().timeline();
    m_slider->setDuration(timeline.duration());
    keepRoomForReadout();
    for (QToolButton* button : {m_first, m_back, m_play, m_forward, m_last})
        button->setEnabled(!timeline.empty());
    showState();
    showPosition();
}

void TransportBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    keepRoomForReadout();
    showPosition();
}

/// So that the slider keeps its length while times and frames count up.
void TransportBar::keepRoomForReadout() {
    const Timeline& timeline = m_player->clock().timeline();
    const QString time = clockText(timeline.empty() ? 0 : timeline.duration());
    const QString frames = QString::number(std::max(kUsualFrames, timeline.stopCount()));
    const bool narrow = width() < theme::scaled(kNarrow);
    m_readout->setMinimumWidth(m_readout->fontMetrics().horizontalAdvance(
        narrow ? QString("%1  %2 / %2").arg(time, frames)
               : QString("%1 / %1   frame %2 / %2").arg(time, frames)));
}

void TransportBar::showPosition() {
    const Timeline& timeline = m_player->clock().timeline();
    const double seconds = m_player->composition().seconds;
    m_slider->setPosition(seconds);
    if (timeline.empty()) return m_readout->clear();
    const int stop = timeline.stopAt(seconds);
    const int late = m_player->lateTicks();
    const QString at = clockText(timeline.stop(stop));
    // The slider keeps its room in a narrow window.
    if (width() < theme::scaled(kNarrow))
        m_readout->setText(QString("%1  %2 / %3").arg(at).arg(stop + 1).arg(timeline.stopCount()));
    else
        m_readout->setText(tr("%1 / %2   frame %3 / %4")
                               .arg(at, clockText(timeline.duration()))
                               .arg(stop + 1)
                               .arg(timeline.stopCount()));
    m_readout->setToolTip(late == 0 ? tr("Every frame was shown in time")
                                    : tr("The playhead waited for a frame: %1 times").arg(late));
}

}  // namespace reelgrid::widgets
