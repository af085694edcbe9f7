#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/pending_file.h"
#include "core/media/clip.h"
#include "core/media/rgb.h"
#include "core/media/stitch.h"
#include "tests/media/barcode.h"

namespace reelgrid::media {
namespace {

namespace fs = std::filesystem;
using test::encodeBarcodes;
using test::ScratchFolder;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Files called clip.mp4 beside a real clip that they would have another program read.
class HostileClip : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(encodeBarcodes(m_folder / "secret.ts", 8, 96, 64, "16", "-pix_fmt yuv420p"));
    }
    fs::path write(const std::string& bytes) {
        std::ofstream(m_folder / "clip.mp4", std::ios::binary) << bytes;
        return m_folder / "clip.mp4";
    }
    /// Whatever opens it gets one line that says what it is and what was needed.
    void expectRefused(const fs::path& path, const std::string& what) {
        const auto named = AllOf(HasSubstr(path.string()), HasSubstr(what), Not(HasSubstr("\n")));
        const auto clip = Clip::open(path);
        ASSERT_FALSE(clip);
        EXPECT_EQ(clip.error().code, ErrorCode::InvalidData);
        EXPECT_THAT(clip.error().message, named);
        const auto video = readRgb(path);
        ASSERT_FALSE(video);
        EXPECT_THAT(video.error().message, named);
        const auto grid = stitch(std::vector<LabelledClip>{{path, "it"}}, m_folder / "grid.mp4");
        ASSERT_FALSE(grid);
        EXPECT_THAT(grid.error().message, named);
        EXPECT_FALSE(fs::exists(m_folder / "grid.mp4"));
    }
    ScratchFolder m_folder;
};

TEST_F(HostileClip, APlaylistIsRefused) {
    expectRefused(write("#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:0\n"
                        "#EXTINF:0.5,\nsecret.ts\n#EXT-X-ENDLIST\n"),
                  "HTTP Live Streaming");
    expectRefused(m_folder / "clip.mp4", "MP4, WebM, GIF");
}

TEST_F(HostileClip, AConcatenationScriptIsRefused) {
    expectRefused(write("ffconcat version 1.0\nfile secret.ts\n"), "concatenation script");
}

TEST_F(HostileClip, PicturesAndSoundAreRefusedByWhatTheyAre) {
    ASSERT_TRUE(test::runs("ffmpeg -v error -f lavfi -i color=red:s=32x32 -frames:v 1 '" +
                           (m_folder / "a.png").string() + "'"));
    ASSERT_TRUE(test::runs("ffmpeg -v error -f lavfi -i sine=d=0.2 '" + (m_folder / "a.wav").string() + "'"));
    expectRefused(write(readFile(m_folder / "a.png").value()), "png");
    expectRefused(write(readFile(m_folder / "a.wav").value()), "WAV");
}

void addBigEndian(std::string& bytes, std::size_t at, std::uint32_t add) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | std::uint8_t(bytes[at + i]);
    value += add;
    for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = char(value >> (24 - 8 * i));
}

/// A copy of a QuickTime movie (its index at the end) whose frames are said to be in `file`, in its folder.
std::string movieOfFramesIn(const std::string& file, std::string movie) {
    const std::string path = "x:" + file;
    std::string alias(150, '\0');
    alias[131] = alias[133] = 1;  // one folder up from the alias, one down to the file
    alias += std::string("\0\2\0", 3) + char(path.size()) + path + std::string("\xff\xff\0\0", 4);
    const std::string entry =
        std::string(3, '\0') + char(alias.size() + 12) + "alis" + std::string(4, '\0') + alias;
    const std::size_t references = movie.find("dref");
    if (references == std::string::npos) return {};
    const std::size_t oldEntry = 12;
    for (const char* box : {"moov", "trak", "mdia", "minf", "dinf", "dref"})
        addBigEndian(movie, movie.rfind(box, references) - 4, std::uint32_t(entry.size() - oldEntry));
    return movie.replace(references + 12, oldEntry, entry);
}

TEST_F(HostileClip, FramesKeptInAnotherFileAreNotRead) {
    ASSERT_TRUE(encodeBarcodes(m_folder / "frames.mov", 8, 96, 64, "16", "-pix_fmt yuv420p"));
    const auto path = write(movieOfFramesIn("frames.mov", readFile(m_folder / "frames.mov").value()));
    // It is what it is meant to be: FFmpeg does read the other file when it is told to.
    const auto read = test::outputOf(
        "ffprobe -v error -enable_drefs 1 -count_packets -show_entries "
        "stream=nb_read_packets -of csv=p=0 '" +
        path.string() + "'");
    EXPECT_THAT(std::string(read.begin(), read.end()), HasSubstr("8"));
    expectRefused(path, "none of the 8 frames that it lists is in it");
}

}  // namespace
}  // namespace reelgrid::media
