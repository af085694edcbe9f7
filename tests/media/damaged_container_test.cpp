// Damage to what containers keep beside their frames, of which demuxers say nothing.

#include <gmock/gmock.h>

#include "core/media/damage/missing_end.h"
#include "tests/media/corrupt_clip.h"

namespace reelgrid::media {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class DamagedContainer : public test::CorruptClips {
  protected:
    int framesOf(const std::filesystem::path& path) {
        const auto clip = Clip::open(path);
        return clip ? (*clip)->info().frameCount() : 0;
    }
    std::vector<std::string> remarksOf(const std::filesystem::path& path) {
        const auto clip = Clip::open(path);
        EXPECT_TRUE(clip) << (clip ? "" : clip.error().message);
        return clip ? remarksOn((*clip)->info()) : std::vector<std::string>();
    }
    /// The same frames, written by a program that can't go back in the file.
    std::string ofPipe(const std::string& name, const std::string& options) {
        clipBytes("whole-" + name, options);
        const std::string format = name.substr(name.find('.') + 1);
        EXPECT_TRUE(test::runs("ffmpeg -v error -y -i '" + (m_folder / ("whole-" + name)).string() +
                               "' -c copy -f " + format + " - > '" + (m_folder / name).string() + "'"));
        EXPECT_GE(framesOf(m_folder / name), 40);
        return readFile(m_folder / name).value();
    }
};

TEST_F(DamagedContainer, AnMp4WhoseEditOrChunkListsAreDamagedShowsNoOtherFramesInSilence) {
    clipBytes("a.mp4", "-pix_fmt yuv420p -g 40");
    ASSERT_TRUE(test::runs("ffmpeg -v error -ss 0.5 -i '" + (m_folder / "a.mp4").string() + "' -c copy '" +
                           (m_folder / "cut.mp4").string() + "'"));
    const std::string bytes = readFile(m_folder / "cut.mp4").value();
    const int frames = framesOf(m_folder / "cut.mp4");
    const auto remarks = remarksOf(m_folder / "cut.mp4");
    ASSERT_LT(frames, 40) << "hidden ones";
    int taken = 0;
    const auto hold = [&](const char* type, std::size_t length) {
        const std::size_t begin = bytes.find(type) - 4;
        for (std::size_t place = begin; place < begin + length; ++place)
            for (int bit = 0; bit < 8; ++bit) {
                std::string damaged = bytes;
                damaged[place] = char(damaged[place] ^ 1 << bit);
                const auto clip = Clip::open(write("b.mp4", damaged));
                if (!clip) continue;
                ++taken;
                EXPECT_TRUE((*clip)->info().frameCount() == frames || remarksOn((*clip)->info()) != remarks)
                    << type << " " << place - begin << " " << bit;
            }
    };
    hold("edts", 8 + 16);  // up to the number of edits: others are edits, too
    hold("stsc", 28);
    hold("stco", 16);
    EXPECT_GT(taken, 0);
}

TEST_F(DamagedContainer, AnMp4WhoseTrackHasNoHeadIsRefused) {
    std::string bytes = clipBytes("a.mp4", "-pix_fmt yuv420p");
    bytes[bytes.find("tkhd")] ^= 1;  // it would say how the pictures are turned
    EXPECT_THAT(openingError(write("b.mp4", bytes)).message, HasSubstr("a track has no head (tkhd)"));
}

TEST_F(DamagedContainer, HeadersThatListMoreThanThereIsSayWhat) {
    std::string bytes = clipBytes("a.mp4", "-pix_fmt yuv420p");
    bytes[bytes.find("stts") + 8] = 0x0F;
    EXPECT_THAT(openingError(write("b.mp4", bytes)).message,
                HasSubstr("a list (stts) of 251658241 entries has 16 bytes, 2013265936 were needed"));
    EXPECT_THAT(
        openingError(write("c.y4m", "YUV4MPEG2 W30000 H30000 F12:1 Ip A1:1 C420jpeg\nFRAME\n")).message,
        HasSubstr("its header is damaged, or says what FFmpeg can't read"));
}

TEST_F(DamagedContainer, AFragmentedMp4LacksNoFragmentThatItsIndexLists) {
    const std::string bytes =
        clipBytes("a.mp4", "-pix_fmt yuv420p -g 8 -movflags +frag_keyframe+empty_moov+default_base_moof");
    const std::size_t first = bytes.find("moof") - 4, second = bytes.find("moof", first + 8) - 4,
                      last = bytes.rfind("moof") - 4, index = bytes.rfind("mfra") - 4;
    for (const auto& [from, to] : {std::pair{first, second}, {last, index}}) {
        std::string damaged = bytes;
        damaged.erase(from, to - from);
        EXPECT_THAT(openingError(write("b.mp4", damaged)).message,
                    HasSubstr("its index lists a fragment at byte "));
    }
    // Who adds a tag at its begin leaves the index as it was.
    std::string tagged = bytes;
    tagged.insert(bytes.find("moov") - 4, std::string("\0\0\0\x10"
                                                      "free"
                                                      "12345678",
                                                      16));
    EXPECT_EQ(framesOf(write("c.mp4", tagged)), 40);
}

TEST_F(DamagedContainer, AnAviOfAPipeThatEndsWithinAHeadIsRefused) {
    const std::string bytes = ofPipe("a.avi", "-c:v mjpeg");
    const std::size_t head = bytes.find("00dc", bytes.size() / 2);
    EXPECT_TRUE(Clip::open(write("b.avi", bytes.substr(0, head)))) << "it may end behind any frame";
    for (const std::size_t part : {1u, 4u, 7u})
        EXPECT_THAT(openingError(write("b.avi", bytes.substr(0, head + part))).message,
                    AnyOf(HasSubstr("is no chunk of AVI"), HasSubstr("cut short")))
            << part;
}

TEST_F(DamagedContainer, AnAviChunkOfAStreamThatItHasNotIsRefused) {
    std::string bytes = ofPipe("a.avi", "-c:v mjpeg");
    const std::size_t place = bytes.rfind("00dc", bytes.find("idx1"));
    bytes[place + 1] ^= 8;
    EXPECT_THAT(openingError(write("b.avi", bytes)).message,
                HasSubstr("what it has at byte " + std::to_string(place) + " is no chunk of AVI"));
}

TEST_F(DamagedContainer, AWindowsMediaPacketWithADamagedCorrectionIsRefused) {
    std::string bytes = clipBytes("a.wmv", "-c:v wmv2");
    const std::size_t packet = bytes.rfind(std::string("\x82\0\0", 3));
    ASSERT_NE(packet, std::string::npos);
    bytes[packet + 1] ^= 16;
    EXPECT_THAT(openingError(write("b.wmv", bytes)).message, HasSubstr("doesn't go on where"));
}

TEST_F(DamagedContainer, AnMxfOfAPipeWithADamagedSetIsRefused) {
    std::string bytes = ofPipe("a.mxf", "-c:v mpeg2video -r 25");
    // MPEG-2's descriptor.
    const std::size_t set = bytes.find(std::string("\x06\x0E\x2B\x34\2\x53\1\1\x0D\1\1\1\1\1\x51\0", 16));
    ASSERT_NE(set, std::string::npos);
    ASSERT_FALSE(missingEndOfMxf(m_folder / "a.mxf"));
    const bool isShort = static_cast<unsigned char>(bytes[set + 16]) < 0x80;
    bytes[set + 16 + (isShort ? 1 : 4) + 2] ^= 4;  // the length of its first item
    EXPECT_EQ(missingEndOfMxf(write("b.mxf", bytes)),
              "what it has at byte " + std::to_string(set) + " is no set of MXF");
}

TEST_F(DamagedContainer, AnMxfOfAPipeWithoutAContentPackageSaysSo) {
    const std::string bytes = ofPipe("a.mxf", "-c:v mpeg2video -g 1 -r 25");
    EXPECT_THAT(remarksOf(m_folder / "a.mxf"), testing::IsEmpty());
    const std::string systemItem("\x06\x0E\x2B\x34\2\5\1\1\x0D\1\3\1\4\1", 14);
    const std::size_t last = bytes.rfind(systemItem), before = bytes.rfind(systemItem, last - 1);
    std::string damaged = bytes;
    damaged.erase(before, last - before);
    EXPECT_THAT(remarksOf(write("b.mxf", damaged)),
                testing::Contains("parts of its stream are missing or damaged, in 1 place"));
}

TEST_F(DamagedContainer, AGifThatLacksTheHeadOfAPictureIsRefused) {
    const std::string bytes = noiseBytes("a.gif", "");
    const std::string control("\0\x21\xF9\x04", 4);
    int taken = 0;
    for (std::size_t head = bytes.find(control); head != bytes.npos; head = bytes.find(control, head + 1))
        for (std::size_t before = 1; before < 40; ++before) {
            std::string damaged = bytes;
            damaged.erase(head - before, 64);
            const auto clip = Clip::open(write("b.gif", damaged));
            if (!clip || !remarksOn((*clip)->info()).empty()) continue;
            ++taken;
            EXPECT_EQ((*clip)->info().frameCount(), 24) << head << " " << before;
        }
    EXPECT_EQ(taken, 0);
}

TEST_F(DamagedContainer, AGifMaySayHowMuchToLoad) {
    std::string bytes = clipBytes("a.gif", "");
    const std::size_t loops = bytes.find("NETSCAPE2.0") + 11;
    const std::string loading("\5\2\0\x10\0\0", 6);
    const int frames = framesOf(write("b.gif", std::string(bytes).insert(loops + 4, loading)));
    EXPECT_EQ(frames, framesOf(m_folder / "a.gif"));
    bytes.replace(loops, 4, loading);
    EXPECT_EQ(framesOf(write("c.gif", bytes)), frames) << "by itself";
}

TEST_F(DamagedContainer, AGifWhoseLastPictureIsZerosIsRefused) {
    std::string bytes = clipBytes("a.gif", "");
    const std::size_t last = bytes.rfind(std::string("\x21\xF9\4", 3));
    std::fill(bytes.begin() + std::ptrdiff_t(last), bytes.end() - 1, '\0');
    EXPECT_THAT(openingError(write("b.gif", bytes)).message, HasSubstr(" is no block of a GIF"));
}

TEST_F(DamagedContainer, AMotionJpegStreamWithAPictureOfZerosIsRefused) {
    std::string bytes = noiseBytes("a.mjpeg", "-c:v mjpeg -frames:v 24");
    std::size_t begin = 0;
    for (int picture = 0; picture < 6; ++picture) begin = bytes.find("\xFF\xD8\xFF", begin + 1);
    const std::size_t end = bytes.find("\xFF\xD8\xFF", begin + 1);
    std::fill(bytes.begin() + std::ptrdiff_t(begin), bytes.begin() + std::ptrdiff_t(end), '\0');
    EXPECT_THAT(openingError(write("b.mjpeg", bytes)).message,
                HasSubstr("it has zeros from byte " + std::to_string(begin) + " on"));
}

/// Of other lengths: where the list has one picture, parts of several are.
TEST_F(DamagedContainer, MotionJpegPicturesThatWereExchangedAreNotShown) {
    std::string bytes = noiseBytes("a.mov", "-c:v mjpeg -frames:v 24");
    std::vector<std::size_t> begins;
    for (std::size_t at = 0; (at = bytes.find("\xFF\xD8\xFF", at)) != std::string::npos; ++at)
        begins.push_back(at);
    ASSERT_EQ(begins.size(), 24u);
    const std::string one = bytes.substr(begins[5], begins[6] - begins[5]),
                      between = bytes.substr(begins[6], begins[15] - begins[6]),
                      other = bytes.substr(begins[15], begins[16] - begins[15]);
    ASSERT_NE(one.size(), other.size());
    bytes.replace(begins[5], begins[16] - begins[5], other + between + one);
    const auto clip = Clip::open(write("b.mov", bytes));
    ASSERT_TRUE(clip);
    for (int frame = 0; frame < 24; ++frame)
        EXPECT_EQ((*clip)->frame(frame).ok(), frame <= 5 || frame > 15) << frame;
}

TEST_F(DamagedContainer, AnAnimatedPngWithAFrameTwiceIsRefused) {
    const std::string bytes = clipBytes("a.apng", "-c:v apng");
    const std::size_t last = bytes.rfind("fcTL") - 4;
    const std::string end = bytes.substr(bytes.size() - 12),
                      frame = bytes.substr(last, bytes.size() - 12 - last);
    EXPECT_THAT(openingError(write("b.apng", bytes.substr(0, last) + frame + frame + end)).message,
                HasSubstr(" is no next part of an animated PNG"));
}

TEST_F(DamagedContainer, ATransportStreamWithADamagedPacketHeadSaysSo) {
    const std::string bytes = clipBytes("a.ts", "-pix_fmt yuv420p");
    EXPECT_THAT(remarksOf(m_folder / "a.ts"), testing::IsEmpty());
    // The packet that a picture in the middle begins with.
    constexpr std::size_t kPacket = 188;
    std::size_t picture = bytes.size() / kPacket / 2 * kPacket;
    const auto begins = [&](std::size_t at) {
        return bytes.substr(at, 3) == std::string("\x47\x41\0", 3) && (bytes[at + 3] & 0x10) != 0;
    };
    while (picture + kPacket < bytes.size() && !begins(picture)) picture += kPacket;
    ASSERT_TRUE(begins(picture));
    const std::size_t fields =
        (bytes[picture + 3] & 0x20) != 0 ? 1 + static_cast<unsigned char>(bytes[picture + 4]) : 0;
    const std::size_t head = picture + 4 + fields;
    ASSERT_EQ(bytes.substr(head, 3), std::string("\0\0\1", 3));
    for (const auto& [place, bit] :
         {std::pair{picture + 3, 0x20}, {head + 1, 0x40}, {head + 2, 1}, {head + 4, 1}, {head + 8, 0x40}}) {
        std::string damaged = bytes;
        damaged[place] = char(damaged[place] ^ bit);
        const auto clip = Clip::open(write("b.ts", damaged));
        if (clip) {
            EXPECT_THAT(remarksOn((*clip)->info()),
                        testing::Contains(HasSubstr("of its stream are missing or damaged")))
                << place;
        }
    }
}

TEST_F(DamagedContainer, SegmentsOfATransportStreamMayBeJoined) {
    clipBytes("a.mp4", "-pix_fmt yuv420p -g 10");
    ASSERT_TRUE(test::runs("cd '" + m_folder.path().string() +
                           "' && ffmpeg -v error -i a.mp4 -c copy -f segment -segment_time 0.6 s%d.ts && "
                           "cat s?.ts > joined.ts"));
    EXPECT_EQ(framesOf(m_folder / "joined.ts"), 40);
    EXPECT_THAT(remarksOf(m_folder / "joined.ts"), testing::IsEmpty());
}

TEST_F(DamagedContainer, AVideoCdMayHaveSectorsOfZeros) {
    const auto path = m_folder / "a.mpg";
    ASSERT_TRUE(test::runs("ffmpeg -v error -f lavfi -i testsrc2=r=25 -target pal-vcd -frames:v 50 '" +
                           path.string() + "'"));
    std::string bytes = readFile(path).value();
    constexpr std::size_t kSector = 2324;
    EXPECT_NE(bytes.find(std::string(kSector, '\0')), std::string::npos);
    EXPECT_EQ(framesOf(path), 50);
    EXPECT_THAT(remarksOf(path), testing::Not(testing::Contains(HasSubstr("are missing or damaged"))));
    // Not within a sector.
    bytes.replace(bytes.size() / kSector / 2 * kSector + 100, 2000, 2000, '\0');
    const auto clip = Clip::open(write("b.mpg", bytes));
    if (clip) {
        EXPECT_THAT(remarksOn((*clip)->info()), testing::Not(testing::IsEmpty()));
    }
}

TEST_F(DamagedContainer, PacketsWithTheTimeOfAnotherOneAreSaid) {
    const std::string bytes = ofPipe("a.flv", "-c:v flv");
    EXPECT_THAT(remarksOf(m_folder / "a.flv"), testing::IsEmpty());
    // The last tag, and the length of it that comes behind.
    const std::size_t length = std::size_t(static_cast<unsigned char>(bytes[bytes.size() - 2])) << 8 |
                               static_cast<unsigned char>(bytes.back());
    EXPECT_THAT(remarksOf(write("b.flv", bytes + bytes.substr(bytes.size() - 4 - length))),
                testing::Contains("a packet has the time of another one: frames may be there twice, or at a "
                                  "wrong time"));
}

}  // namespace
}  // namespace reelgrid::media
