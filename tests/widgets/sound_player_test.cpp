#include "widgets/sound/sound_player.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "core/media/sound_reader.h"
#include "tests/widgets/gui_wait.h"

namespace reelgrid::widgets {
namespace {

namespace fs = std::filesystem;

/// What a device that takes sound at its own pace was given.
struct Heard {
    struct Chunk {
        double now = 0;      ///< when it was written
        double latency = 0;  ///< until it is heard
        int level = 0;       ///< its loudest sample
        double seconds = 0;  ///< of the clip, by its first sample
    };
    std::mutex mutex;
    std::vector<Chunk> chunks;
    int drops = 0;
    std::atomic<int> opened = 0;
    [[nodiscard]] std::size_t count() {
        const std::lock_guard lock(mutex);
        return chunks.size();
    }
};

/// The clip's sound says when it is: a quarter of the loudest a second.
class FakeSink : public SoundSink {
  public:
    explicit FakeSink(Heard* heard) : m_heard(heard) {}
    bool write(std::span<const std::int16_t> samples) override {
        while (latency() > 0.1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        const double now = SoundPlayer::now();
        int level = 0;
        for (const std::int16_t sample : samples) level = std::max(level, std::abs(int(sample)));
        {
            const std::lock_guard lock(m_heard->mutex);
            m_heard->chunks.push_back({now, latency(), level, samples[0] / 32768.0 * 4});
        }
        m_end = std::max(m_end, now) + double(samples.size()) / 2 / media::SoundReader::kRate;
        return true;
    }
    double latency() override { return std::max(0.0, m_end - SoundPlayer::now()); }
    void drop() override {
        m_end = 0;
        const std::lock_guard lock(m_heard->mutex);
        ++m_heard->drops;
    }

  private:
    Heard* m_heard;
    double m_end = 0;
};

class SoundPlayerTest : public testing::Test {
  protected:
    void SetUp() override {
        fs::create_directories(m_folder);
        m_clip = clipOf("ramp.mkv", "t/4|t/4");
    }
    /// Four seconds with this sound, as FFmpeg's aevalsrc writes it: an expression a channel.
    [[nodiscard]] fs::path clipOf(const std::string& name, const std::string& sound) const {
        fs::path clip = m_folder / name;
        const std::string command =
            "ffmpeg -v error -y -f lavfi -i testsrc2=s=64x48:r=8:d=4 -f lavfi -i aevalsrc='" + sound +
            "':s=48000:d=4 -c:v libx264 -pix_fmt yuv420p -c:a pcm_s16le '" + clip.string() + "'";
        EXPECT_EQ(std::system(command.c_str()), 0);
        return clip;
    }
    void TearDown() override { fs::remove_all(m_folder); }
    [[nodiscard]] SoundSinkOpener device() {
        return [this]() -> Result<std::unique_ptr<SoundSink>> {
            ++m_heard.opened;
            return std::unique_ptr<SoundSink>(std::make_unique<FakeSink>(&m_heard));
        };
    }
    [[nodiscard]] HeardClip moving(double seconds) const {
        return {m_clip, {seconds, SoundPlayer::now(), true}};
    }
    bool waitForChunks(std::size_t count) {
        return waitUntil([&] { return m_heard.count() >= count; });
    }

    fs::path m_folder = fs::path(testing::TempDir()) / ("reelgrid_heard_" + std::to_string(getpid()));
    fs::path m_clip;
    Heard m_heard;
};

TEST_F(SoundPlayerTest, WhatIsHeardIsWhatIsShown) {
    SoundPlayer player(device());
    const HeardClip from = moving(0.5);
    player.follow(from);
    ASSERT_TRUE(waitForChunks(25));
    const HeardClip sought = moving(2.5);
    player.follow(sought);
    ASSERT_TRUE(waitForChunks(50));
    player.follow({m_clip, {3, SoundPlayer::now(), false}});
    const std::lock_guard lock(m_heard.mutex);
    EXPECT_EQ(m_heard.opened, 1);
    // A busy machine may hold one chunk up; then the next one is back in step.
    int inStep = 0, all = 0;
    for (const Heard::Chunk& chunk : m_heard.chunks) {
        const SoundPlace& place = chunk.now < sought.place.at ? from.place : sought.place;
        const double shown = place.seconds + (chunk.now - place.at) + chunk.latency;
        inStep += std::abs(chunk.seconds - shown) < SoundFollower::kMostApart + 0.01;
        ++all;
    }
    EXPECT_GE(inStep, all * 8 / 10) << inStep << " of " << all;
}

TEST_F(SoundPlayerTest, MutedAndStandingItIsSilentAndTheDeviceUntouched) {
    SoundPlayer player(device());
    player.setMuted(true);
    player.follow(moving(0.5));
    letRun(150);
    player.follow({m_clip, {1, SoundPlayer::now(), false}});
    player.setMuted(false);
    letRun(150);
    EXPECT_EQ(m_heard.opened, 0);
    player.follow(moving(1));
    ASSERT_TRUE(waitForChunks(5));
    player.setMuted(true);
    ASSERT_TRUE(waitUntil([&] {
        const std::size_t before = m_heard.count();
        letRun(150);
        return m_heard.count() == before;
    }));
    const std::lock_guard lock(m_heard.mutex);
    EXPECT_GE(m_heard.drops, 2) << "the jump at first, and the silence";
}

TEST_F(SoundPlayerTest, VolumeScalesWhatIsHeard) {
    SoundPlayer player(device());
    player.setVolume(0.25);
    // The same level throughout, whenever a busy machine lets it be heard.
    player.follow({clipOf("even.mkv", "0.8|0.8"), {0, SoundPlayer::now(), true}});
    ASSERT_TRUE(waitForChunks(5));
    const std::lock_guard lock(m_heard.mutex);
    for (const Heard::Chunk& chunk : m_heard.chunks) EXPECT_NEAR(chunk.level, 0.8 * 32768 * 0.25, 2);
}

TEST_F(SoundPlayerTest, WithoutADeviceItIsSaidOnce) {
    std::atomic<int> tried = 0;
    SoundPlayer player([&]() -> Result<std::unique_ptr<SoundSink>> {
        ++tried;
        return Error{ErrorCode::NotFound, "no sound device: Connection refused"};
    });
    QStringList said;
    QObject::connect(&player, &SoundPlayer::failed, &player, [&](const QString& why) { said << why; });
    for (int i = 0; i < 5; ++i) {
        player.follow(moving(1));
        letRun(40);
        player.follow({m_clip, {1, SoundPlayer::now(), false}});
        letRun(20);
    }
    EXPECT_EQ(said, QStringList{"No sound: no sound device: Connection refused"});
    EXPECT_EQ(tried, 1);
}

TEST_F(SoundPlayerTest, AClipWithoutSoundOpensNoDevice) {
    const fs::path silent = m_folder / "silent.mp4";
    const std::string command =
        "ffmpeg -v error -y -f lavfi -i testsrc2=s=64x48:r=8:d=1 -c:v libx264 -pix_fmt "
        "yuv420p '" +
        silent.string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    SoundPlayer player(device());
    player.follow({silent, {0, SoundPlayer::now(), true}});
    letRun(200);
    EXPECT_EQ(m_heard.opened, 0);
    player.follow(moving(1));
    EXPECT_TRUE(waitForChunks(3)) << "another clip has";
}

}  // namespace
}  // namespace reelgrid::widgets
