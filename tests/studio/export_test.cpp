#include "tests/studio/window_fixture.h"

#include "core/media/rgb.h"

namespace reelgrid::studio {
namespace {

TEST_F(WindowTest, AnExportThatCannotBeWrittenIsAnIssue) {
    m_window.sessions().open({writeClip("one.mp4")});
    exportGrid(m_folder / "grid.xyz");
    ASSERT_TRUE(waitUntil([&] { return !m_window.issues().issues().isEmpty(); }));
    EXPECT_TRUE(m_window.issues().issues()[0].contains("grid.xyz"));
}

TEST_F(WindowTest, AnExportShowsEachClipAsFarAheadAsTheWindowDoes) {
    session::Session session;
    session.clips = {{writeClip("one.mp4"), "one", "", 0}, {writeClip("two.mp4"), "two", "", 3 / 16.0}};
    ASSERT_TRUE(session::saveSession(session, m_folder / "offset.json"));
    openIn(m_window, m_folder / "offset.json", 2);
    ASSERT_TRUE(waitUntil([&] { return player().clock().timeline().stopCount() == 9; }));
    player().pause();
    player().seekToStop(2);
    // The clips are decoded one beside the other: neither has to be first.
    ASSERT_TRUE(waitUntil([&] {
        const auto& tiles = player().composition().tiles;
        return tiles[0].frameIndex == 2 && tiles[1].frameIndex == 5;
    }));

    int frames = -1;
    QObject::connect(&m_window.gridExport(), &GridExport::finished,
                     [&](const QString&, const QString&, int count) { frames = count; });
    exportGrid(m_folder / "grid.mp4");
    ASSERT_TRUE(waitUntil([&] { return frames >= 0; }));
    ASSERT_EQ(frames, 9);
    const auto grid = media::readRgb(m_folder / "grid.mp4");
    ASSERT_TRUE(grid) << grid.error().message;
    const auto brightness = [&](int frame, int x) {
        const int y = grid->height - 16;  // in the picture, below the label
        return int(grid->frame(frame)[std::size_t((y * grid->width + x) * 3)]);
    };
    for (int frame = 0; frame < 9; ++frame) {
        EXPECT_NEAR(brightness(frame, 16), brightnessOf(frame), 6) << frame;
        EXPECT_NEAR(brightness(frame, 48), brightnessOf(std::min(frame + 3, 8)), 6) << frame;
    }
    // A session that is saved again keeps them, too.
    ASSERT_TRUE(saveSession(m_folder / "again.json"));
    EXPECT_EQ(session::loadSession(m_folder / "again.json")->session.clips[1].offsetSeconds, 3 / 16.0);
}

TEST_F(WindowTest, AnExportShiftsClipsAsTheViewDoes) {
    m_window.sessions().open({writeClip("one.mp4"), writeClip("two.mp4")});
    ASSERT_TRUE(waitUntil([&] { return player().clock().timeline().stopCount() == 9; }));
    session::ViewState look = m_window.grid().look();
    look.offsets = {{}, {2 / 16.0, 1}};
    for (const auto sync : {session::SyncBy::Time, session::SyncBy::FrameIndex}) {
        look.sync = sync;
        m_window.grid().setLook(look);
        int frames = -1;
        QObject ends;
        QObject::connect(&m_window.gridExport(), &GridExport::finished, &ends,
                         [&](const QString&, const QString&, int count) { frames = count; });
        exportGrid(m_folder / "shifted.mp4");
        ASSERT_TRUE(waitUntil([&] { return frames >= 0; }));
        ASSERT_EQ(frames, 9);
        const auto grid = media::readRgb(m_folder / "shifted.mp4");
        ASSERT_TRUE(grid) << grid.error().message;
        for (int frame = 0; frame < 9; ++frame) {
            const int y = grid->height - 16;
            const int code = grid->frame(frame)[std::size_t((y * grid->width + 48) * 3)];
            EXPECT_NEAR(code, brightnessOf(std::min(frame + 3, 8)), 6) << frame;
        }
    }
}

}  // namespace
}  // namespace reelgrid::studio
