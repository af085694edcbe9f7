#include "app/studio/blind_test_view.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/studio/lossless_opener.h"
#include "core/media/clip.h"
#include "widgets/video_grid/video_grid.h"

namespace reelgrid::studio {

using session::Preference;
using widgets::GridTile;

BlindTestView::BlindTestView(QWidget* parent)
    : QWidget(parent),
      m_player([](const std::filesystem::path& path) { return media::Clip::open(path); }),
      m_grid(new widgets::VideoGrid(widgets::preferredSurface())),
      m_question(new QLabel(tr("Which one looks better?"))),
      m_progress(new QLabel) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Blind test: left is A, right is B"));
    m_grid->setFocusPolicy(Qt::NoFocus);
    m_grid->setColumns(2);
    m_question->setObjectName("title");
    m_question->setAlignment(Qt::AlignCenter);
    m_progress->setObjectName("quiet");
    m_progress->setAlignment(Qt::AlignCenter);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(10);
    buttons->addStretch();
    buttons->addWidget(addAnswer(tr("A looks better"), tr("← or 1"), Preference::First));
    buttons->addWidget(addAnswer(tr("No difference"), tr("↓ or 0"), Preference::Neither));
    buttons->addWidget(addAnswer(tr("B looks better"), tr("→ or 2"), Preference::Second));
    buttons->addStretch();
    auto* back = new QPushButton(tr("Take back (Backspace)"));
    auto* end = new QPushButton(tr("End and reveal (Esc)"));
    for (QPushButton* button : {back, end}) {
        button->setObjectName("flat");
        button->setProperty("plain", true);
        button->setFocusPolicy(Qt::TabFocus);
    }
    connect(back, &QPushButton::clicked, this, &BlindTestView::takeBackRequested);
    connect(end, &QPushButton::clicked, this, &BlindTestView::endRequested);
    auto* foot = new QHBoxLayout;
    foot->addWidget(back);
    foot->addWidget(m_progress, 1);
    foot->addWidget(end);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 12);
    layout->setSpacing(10);
    layout->addWidget(m_question);
    layout->addWidget(m_grid, 1);
    layout->addLayout(buttons);
    layout->addLayout(foot);
    m_player.setExactOpener(openKeptFrames);
    connect(&m_player, &widgets::Player::composed, this, &BlindTestView::showFrames);
    connect(&m_player, &widgets::Player::clipFailed, this, [this](int clip, const QString& message) {
        m_failed.insert(clip);
        showFrames();
        Q_EMIT clipFailed(message);
    });
}

QPushButton* BlindTestView::addAnswer(const QString& text, const QString& keys, Preference preference) {
    auto* button = new QPushButton(QString("%1   %2").arg(text, keys));
    button->setAccessibleName(text);
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QPushButton::clicked, this, [this, preference] { answer(preference); });
    return button;
}

void BlindTestView::showPair(const std::filesystem::path& first, const std::filesystem::path& second) {
    m_player.clear();
    m_first = m_player.addClip(first);
    m_second = m_player.addClip(second);
    m_player.setLoop(widgets::LoopMode::Whole);
    m_player.seek(0);
    m_player.play();
    showTiles();
    setFocus();
}

void BlindTestView::clear() {
    m_player.clear();
    m_first = m_second = -1;
    m_grid->setTiles({});
}

void BlindTestView::showProgress(const QString& text) {
    m_progress->setText(text);
}

QString BlindTestView::progress() const {
    return m_progress->text();
}

void BlindTestView::showTiles() {
    GridTile a;
    a.label = tr("A");
    GridTile b;
    b.label = tr("B");
    m_grid->setTiles({a, b});
    showFrames();
}

void BlindTestView::showFrames() {
    std::vector<widgets::TilePicture> pictures(2);
    for (const widgets::ComposedTile& tile : m_player.composition().tiles) {
        if (tile.clip != m_first && tile.clip != m_second) continue;
        widgets::TilePicture& picture = pictures[tile.clip == m_first ? 0 : 1];
        picture.frame = tile.frame;
        // A message may name the file.
        if (m_failed.contains(tile.clip)) picture.message = tr("can’t be shown");
    }
    m_grid->present(std::move(pictures));
}

bool BlindTestView::isReady() const {
    const auto& tiles = m_player.composition().tiles;
    return tiles.size() == 2 && std::ranges::all_of(tiles, [](const widgets::ComposedTile& tile) {
               return tile.frame != nullptr;
           });
}

void BlindTestView::answer(Preference preference) {
    if (isReady()) Q_EMIT answered(preference);
}

bool BlindTestView::event(QEvent* event) {
    // Plain keys are answers here, whatever they are shortcuts for.
    constexpr auto kWithOthers = Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier;
    if (event->type() == QEvent::ShortcutOverride &&
        !(static_cast<QKeyEvent*>(event)->modifiers() & kWithOthers)) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void BlindTestView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_1:
        case Qt::Key_A:
            return answer(Preference::First);
        case Qt::Key_Right:
        case Qt::Key_2:
        case Qt::Key_B:
            return answer(Preference::Second);
        case Qt::Key_Down:
        case Qt::Key_0:
            return answer(Preference::Neither);
        case Qt::Key_Backspace:
            return Q_EMIT takeBackRequested();
        case Qt::Key_Escape:
            return Q_EMIT endRequested();
        case Qt::Key_Space:
            return m_player.togglePlay();
        case Qt::Key_Period:
            return m_player.step(1);
        case Qt::Key_Comma:
            return m_player.step(-1);
        default:
            // No other plain key: those of the window are about a grid that isn't on show.
            return;
    }
}

}  // namespace reelgrid::studio
