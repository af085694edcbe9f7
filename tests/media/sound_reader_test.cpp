#include "core/media/sound_reader.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <vector>

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Clips whose sound is as loud as it is late: a quarter of the loudest a second.
class SoundReaderTest : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }
    fs::path make(const char* name, const std::string& sound, const std::string& codec) const {
        const fs::path file = m_folder / name;
        const std::string command = "ffmpeg -v error -y -f lavfi -i testsrc2=s=64x48:r=8:d=3 " + sound +
                                    " -c:v libx264 -pix_fmt yuv420p " + codec + " '" + file.string() + "'";
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
        return file;
    }
    [[nodiscard]] fs::path ramp(const char* name = "ramp.mov", const std::string& more = "") const {
        return make(name, more + "-f lavfi -i aevalsrc='t/4|t/4':s=48000:d=3", "-c:a pcm_s16le");
    }
    static std::vector<std::int16_t> read(SoundReader& reader, int samples) {
        std::vector<std::int16_t> out(std::size_t(samples) * SoundReader::kChannels, 77);
        reader.read(out);
        return out;
    }
    /// What the ramp's sample at that time is.
    static double levelAt(double seconds) { return seconds / 4 * 32768; }

    fs::path m_folder = fs::path(testing::TempDir()) / ("reelgrid_sound_" + std::to_string(getpid()));
};

TEST_F(SoundReaderTest, EverySampleIsThatOfItsTime) {
    const auto reader = SoundReader::open(ramp()).value();
    ASSERT_NE(reader, nullptr);
    for (const double from : {0.0, 1.5, 1.52, 0.25, 2.9}) {
        reader->seek(from);
        for (int chunk = 0; chunk < 4; ++chunk) {
            const auto samples = read(*reader, 960);
            for (int i = 0; i < 960; i += 96) {
                const double seconds = from + (chunk * 960 + i) / 48000.0;
                const double expected = seconds < 3 ? levelAt(seconds) : 0;
                EXPECT_NEAR(samples[std::size_t(2 * i)], expected, 2) << from << " " << chunk << " " << i;
                EXPECT_EQ(samples[std::size_t(2 * i)], samples[std::size_t(2 * i + 1)])
                    << "one channel on both";
            }
        }
    }
}

TEST_F(SoundReaderTest, BeforeTheSoundAndBehindItIsSilence) {
    const auto reader = SoundReader::open(ramp()).value();
    reader->seek(-0.01);
    const auto before = read(*reader, 960);
    EXPECT_THAT(std::vector(before.begin(), before.begin() + 2 * 480), testing::Each(0));
    EXPECT_NEAR(before[2 * 959], levelAt(479 / 48000.0), 2);
    reader->seek(2.99);
    EXPECT_FALSE(reader->ended());
    const auto behind = read(*reader, 960);
    EXPECT_NEAR(behind[0], levelAt(2.99), 2);
    EXPECT_EQ(behind[2 * 959], 0);
    read(*reader, 960);
    EXPECT_TRUE(reader->ended());
    reader->seek(1);
    EXPECT_NEAR(read(*reader, 10)[0], levelAt(1), 2) << "back again";
}

TEST_F(SoundReaderTest, TimesCountFromTheFirstPicture) {
    // The pictures begin half a second into the sound.
    const fs::path late = m_folder / "late.mkv";
    const std::string command =
        "ffmpeg -v error -y -itsoffset 0.5 -f lavfi -i testsrc2=s=64x48:r=8:d=2 -f lavfi -i "
        "aevalsrc='t/4|t/4':s=48000:d=3 -c:v libx264 -pix_fmt yuv420p -c:a pcm_s16le '" +
        late.string() + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const auto reader = SoundReader::open(late).value();
    reader->seek(1);
    EXPECT_NEAR(read(*reader, 10)[0], levelAt(1.5), 60) << "Matroska has whole milliseconds";
}

TEST_F(SoundReaderTest, OtherRatesAndChannelsAreMadeThoseOfTheDevice) {
    const fs::path file =
        make("mono.mp4", "-f lavfi -i sine=frequency=440:sample_rate=44100:duration=3", "-c:a aac -ac 1");
    const auto reader = SoundReader::open(file).value();
    reader->seek(1);
    const auto samples = read(*reader, 48000);
    int crossings = 0;
    double loudest = 0;
    for (std::size_t i = 2; i < samples.size(); i += 2) {
        crossings += (samples[i] >= 0) != (samples[i - 2] >= 0);
        loudest = std::max(loudest, std::abs(double(samples[i])));
        ASSERT_EQ(samples[i], samples[i + 1]);
    }
    EXPECT_NEAR(crossings, 2 * 440, 2);
    EXPECT_GT(loudest, 1000);
}

TEST_F(SoundReaderTest, AClipWithoutSoundHasNoneAndNoClipIsAnError) {
    EXPECT_EQ(SoundReader::open(make("silent.mp4", "", "")).value(), nullptr);
    EXPECT_EQ(SoundReader::open(m_folder / "none.mp4").error().code, ErrorCode::NotFound);
    std::ofstream(m_folder / "text.mp4") << "no clip";
    EXPECT_THAT(SoundReader::open(m_folder / "text.mp4").error().message, HasSubstr("text.mp4"));
    const fs::path pipe = m_folder / "pipe.mp4";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THAT(SoundReader::open(pipe).error().message, HasSubstr("pipe.mp4: not a regular file"));
}

TEST_F(SoundReaderTest, DamagedFilesEndOrAreSilentAndNeverMore) {
    const fs::path whole = make("whole.mp4", "-f lavfi -i sine=duration=3", "-c:a aac");
    std::ifstream stream(whole, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    std::mt19937 random(7);
    int opened = 0;
    for (int i = 0; i < 60; ++i) {
        std::string damaged = bytes;
        for (int hit = 0; hit < 1 + i; ++hit) damaged[random() % damaged.size()] = char(random());
        if (i % 3 == 0) damaged.resize(random() % damaged.size());
        const fs::path file = m_folder / "damaged.mp4";
        std::ofstream(file, std::ios::binary) << damaged;
        const auto reader = SoundReader::open(file);
        if (!reader || *reader == nullptr) continue;
        ++opened;
        for (const double at : {0.0, 2.0, 1.0, 1e9, -1e9}) {
            (*reader)->seek(at);
            for (int chunk = 0; chunk < 10; ++chunk) read(**reader, 960);
        }
    }
    EXPECT_GT(opened, 5);
}

}  // namespace
}  // namespace reelgrid::media
