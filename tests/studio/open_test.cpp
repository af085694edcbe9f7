#include "tests/studio/window_fixture.h"

#include <QDropEvent>
#include <QMimeData>
#include <QUrl>

#include "tests/media/gif_delays.h"
#include "tests/media/tagged_file.h"

namespace reelgrid::studio {
namespace {

TEST_F(WindowTest, AnUnreadableClipShowsWhyAndStallsNobody) {
    std::ofstream(m_folder / "broken.mp4") << "not a video at all";
    m_window.sessions().open(
        {writeClip("a.mp4"), m_folder / "broken.mp4", writeClip("b.mp4"), m_folder / "absent.mp4"});
    ASSERT_TRUE(waitUntil([&] { return m_window.issues().issues().size() == 2; }));
    ASSERT_TRUE(waitUntil([&] { return player().composition().tiles[2].frameIndex > 2; }));
    EXPECT_TRUE(clips()[1].status.failed);
    EXPECT_TRUE(m_window.issues().issues().join(' ').contains("broken.mp4"));
    EXPECT_TRUE(m_window.issues().issues().join(' ').contains("absent.mp4"));
}

TEST_F(WindowTest, AClipWhoseBackendWasReplacedSaysSoOnItsTile) {
    const fs::path clip = writeClip("wan_result_t2v_attn_fav2_48x64.mp4");
    fs::create_directories(m_folder / "wan_result_t2v_attn_fav2_48x64.files");
    std::ofstream(m_folder / "wan_result_t2v_attn_fav2_48x64.files/manifest.json")
        << R"({"request": {"attention_type": "fav2"},
               "attention": [{"module": "self", "requested": "fav2", "used": "sdpa", "calls": 3}]})";
    m_window.sessions().open({clip});
    ASSERT_TRUE(waitUntil([&] { return clips()[0].label == "fav2 (ran sdpa)"; }))
        << clips()[0].label.toStdString();
}

TEST_F(WindowTest, AClipOfAnotherProgramSaysWithWhatItWasMade) {
    // VideoHelperSuite leaves a picture with the graph beside its clips.
    media::writeTaggedPng(m_folder / "fox.png", {{"prompt", R"({"3": {"class_type": "KSampler", "inputs":
        {"seed": 42, "steps": 20, "cfg": 6, "sampler_name": "euler", "model": ["4", 0]}},
        "4": {"class_type": "UNETLoader", "inputs": {"unet_name": "wan2.1_t2v_1.3B.safetensors"}}})"}});
    m_window.sessions().open({writeClip("fox.mp4"), writeClip("other.mp4")});
    const auto tile = [&](int index) { return m_window.grid().scene().tiles[std::size_t(index)].what; };
    ASSERT_TRUE(waitUntil([&] { return clips()[0].facts && clips()[1].facts; }));
    EXPECT_EQ(tile(0).label, "fox");
    EXPECT_EQ(tile(0).origin, QString::fromUtf8("wan2.1_t2v_1.3B · euler · 20 steps · cfg 6 · seed 42"));
    EXPECT_EQ(tile(1).origin, "");
}

TEST_F(WindowTest, AClipWhoseFramesLastUnequallySaysSoOnItsTile) {
    const fs::path close = writeClip("close.gif"), far = writeClip("far.gif"), even = writeClip("even.gif");
    ASSERT_TRUE(media::setGifDelays(close, {5, 7, 5, 7, 5}));
    ASSERT_TRUE(media::setGifDelays(far, {5, 50}));
    m_window.sessions().open({close, far, even});
    const auto tile = [&](int index) { return m_window.grid().scene().tiles[std::size_t(index)].what; };
    ASSERT_TRUE(waitUntil([&] {
        return clips().size() == 3 &&
               std::ranges::all_of(clips(), [](const auto& clip) { return clip.facts.has_value(); });
    }));
    EXPECT_TRUE(tile(0).origin.startsWith("frames of 50 to 70 ms, taken at "))
        << tile(0).origin.toStdString();
    EXPECT_TRUE(tile(1).origin.endsWith(" to 500 ms, at their own times")) << tile(1).origin.toStdString();
    EXPECT_EQ(tile(2).origin, "");
}

TEST_F(WindowTest, DroppedFilesAreOpenedAndWhatIsNoFileIsNamed) {
    QMimeData dropped;
    dropped.setUrls({QUrl::fromLocalFile(QString::fromStdString(writeClip("a clip #1.mp4").string())),
                     QUrl("https://example.org/clip.mp4"),
                     QUrl::fromLocalFile(QString::fromStdString(writeClip("b.mp4").string()))});
    QDragEnterEvent enter({9, 9}, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&m_window, &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop({9, 9}, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&m_window, &drop);
    ASSERT_EQ(clips().size(), 2U);
    EXPECT_EQ(clips()[0].label, "a clip #1");
    EXPECT_EQ(m_window.issues().issues(),
              QStringList{"https://example.org/clip.mp4: only local files can be opened"});
    EXPECT_TRUE(waitUntil([&] { return player().composition().tiles[1].frameIndex > 2; }));
}

TEST_F(WindowTest, ADroppedPictureIsWhatTheClipBeginsWith) {
    const QString picture = QString::fromStdString((m_folder / "cat.png").string());
    const auto drop = [&] {
        QMimeData dropped;
        dropped.setUrls({QUrl::fromLocalFile(picture)});
        QDragEnterEvent enter({9, 9}, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&m_window, &enter);
        QDropEvent event({9, 9}, Qt::CopyAction, &dropped, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&m_window, &event);
    };
    drop();
    EXPECT_TRUE(clips().empty());
    EXPECT_EQ(m_window.issues().issues(), QStringList{picture + ": the chosen model takes no picture"});
    protocol::RenderRequest request = m_window.editor().request();
    request.model = "demo-i2v";
    m_window.editor().setRequest(request);
    drop();
    EXPECT_EQ(m_window.editor().request().imgFilePath, picture.toStdString());
    EXPECT_TRUE(clips().empty());
}

}  // namespace
}  // namespace reelgrid::studio
