#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <QKeyEvent>
#include <algorithm>
#include <fstream>

#include "app/studio/main_window.h"
#include "core/media/writer.h"
#include "tests/jobs/temporary_folder.h"
#include "tests/widgets/gui_wait.h"
#include "widgets/panels/issue_panel.h"
#include "widgets/panels/job_panel.h"
#include "widgets/panels/request_editor.h"

namespace reelgrid::studio {

namespace fs = std::filesystem;

/// Settings and unsaved work of an earlier case in this process are gone.
struct FreshHome {
    FreshHome() {
        for (const char* place : {"XDG_CONFIG_HOME", "XDG_DATA_HOME"})
            for (const auto& entry : fs::directory_iterator(qEnvironmentVariable(place).toStdString()))
                fs::remove_all(entry.path());
    }
};

/// The whole window, with a worker that draws its clips and a results folder of its own.
class WindowTest : public testing::Test {
  protected:
    void SetUp() override { prepare(m_window); }
    void prepare(MainWindow& window) {
        window.renders().setResultsFolder(m_folder / "results");
        window.renders().jobs().setWorker({DRAWING_WORKER, {}});
        window.show();
        // The models are looked for in the background: until then nothing can be rendered.
        ASSERT_TRUE(waitUntil([&] { return window.editor().problem().isEmpty(); }))
            << window.editor().problem().toStdString();
    }

    void renderPrompt(const char* prompt) {
        protocol::RenderRequest request = m_window.editor().request();
        request.prompt = prompt;
        request.width = 64;
        request.height = 48;
        request.numFrames = 17;
        m_window.editor().setRequest(request);
        ASSERT_EQ(m_window.editor().problem(), "");
        Q_EMIT m_window.editor().renderRequested();
    }
    [[nodiscard]] const std::vector<ComparedClip>& clips() { return m_window.comparison().clips(); }
    [[nodiscard]] static bool allOnDisk(MainWindow& window) {
        return std::ranges::all_of(window.comparison().clips(),
                                   [](const ComparedClip& clip) { return clip.onDisk; });
    }
    [[nodiscard]] bool allOnDisk() { return allOnDisk(m_window); }
    /// Saves what is on show. Comparisons that settle are saved meanwhile, too: only this file counts.
    [[nodiscard]] bool saveSession(const std::filesystem::path& file) {
        bool saved = false;
        const auto connection =
            QObject::connect(&m_window.sessions(), &SessionController::saved,
                             [&](const std::filesystem::path& written) { saved = saved || written == file; });
        m_window.sessions().save(file);
        const bool done = waitUntil([&] { return saved; });
        QObject::disconnect(connection);
        return done;
    }

    /// Renders to the end; returns the session that was saved of it.
    fs::path renderAndWait(const char* prompt) {
        fs::path session;
        const auto connection = QObject::connect(&m_window.sessions(), &SessionController::saved,
                                                 [&](const fs::path& file) { session = file; });
        renderPrompt(prompt);
        EXPECT_TRUE(waitUntil([&] { return !session.empty(); }));
        QObject::disconnect(connection);
        return session;
    }
    /// Opens a session in a window that waits until its clips are there.
    void openIn(MainWindow& window, const fs::path& path, std::size_t clips) {
        window.sessions().open({path});
        ASSERT_TRUE(waitUntil([&] { return window.comparison().clips().size() == clips; }))
            << window.issues().issues().join("; ").toStdString();
    }
    void exportGrid(const fs::path& output) { m_window.exports().start(m_window.sessions().shown(), output); }
    [[nodiscard]] widgets::Player& player() { return *m_window.playback().player(); }
    void press(int key) {
        QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
        QCoreApplication::sendEvent(&m_window, &event);
    }
    /// Frame i is as bright as brightnessOf(i).
    fs::path writeClip(const fs::path& name, int frames = 9) {
        media::RgbVideo video;
        video.width = 32;
        video.height = 32;
        for (int frame = 0; frame < frames; ++frame)
            video.pixels.insert(video.pixels.end(), video.frameBytes(), std::uint8_t(brightnessOf(frame)));
        fs::create_directories((m_folder / name).parent_path());
        EXPECT_TRUE(media::writeClip(m_folder / name, video));
        return m_folder / name;
    }
    static int brightnessOf(int frame) { return 20 + 20 * frame; }

    // Removed once the window, which writes there in the background, is gone.
    jobs::TemporaryFolder m_temporary;
    fs::path m_folder = m_temporary.path();
    FreshHome m_home;
    MainWindow m_window;
};

}  // namespace reelgrid::studio
