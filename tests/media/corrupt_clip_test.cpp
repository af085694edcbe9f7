#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "core/media/clip.h"
#include "core/media/clip_options.h"
#include "tests/media/barcode.h"
#include "tests/media/corrupt_clip.h"

namespace reelgrid::media {
namespace {

using test::encodeBarcodes;
using test::ScratchFolder;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class CorruptClip : public test::CorruptClips {};

TEST_F(CorruptClip, MissingFilesAreNotFound) {
    EXPECT_EQ(openingError(m_folder / "none.mp4").code, ErrorCode::NotFound);
}

TEST_F(CorruptClip, OtherFilesAreRefused) {
    EXPECT_EQ(openingError(write("empty.mp4", "")).code, ErrorCode::InvalidData);
    EXPECT_EQ(openingError(write("text.mp4", "This is no video.\n")).code, ErrorCode::InvalidData);
    EXPECT_EQ(openingError(write("zeros.mp4", std::string(100'000, '\0'))).code, ErrorCode::InvalidData);
    EXPECT_EQ(openingError(m_folder.path()).code, ErrorCode::InvalidData);
}

TEST_F(CorruptClip, SoundAloneIsRefused) {
    ASSERT_TRUE(test::runs("ffmpeg -v error -f lavfi -i sine=d=0.2 '" + (m_folder / "a.m4a").string() + "'"));
    EXPECT_THAT(openingError(m_folder / "a.m4a").message, HasSubstr("no video"));
}

TEST_F(CorruptClip, ATruncatedMp4IsRefusedAndSaysSo) {
    const std::string bytes = clipBytes("a.mp4", "-pix_fmt yuv420p");
    EXPECT_THAT(openingError(write("b.mp4", bytes.substr(0, bytes.size() / 2))).message,
                HasSubstr("cut short"));
    const std::string fast = clipBytes("c.mp4", "-pix_fmt yuv420p -movflags +faststart");
    EXPECT_THAT(openingError(write("d.mp4", fast.substr(0, fast.size() * 3 / 4))).message,
                HasSubstr("of 40 frames"));
}

TEST_F(CorruptClip, ATruncatedFragmentedMp4IsRefusedWhereItsFormatTells) {
    const std::string encoding = "-pix_fmt yuv420p -g 8 -movflags +frag_keyframe+";
    const auto refuses = [&](const std::string& bytes, std::size_t size, std::size_t needed) {
        EXPECT_THAT(openingError(write("cut.mp4", bytes.substr(0, size))).message,
                    AllOf(HasSubstr("cut short"), HasSubstr("it has " + std::to_string(size) +
                                                            " of at least " + std::to_string(needed))));
    };
    for (const auto& [name, flags] :
         {std::pair{"a.mp4", "empty_moov"}, {"b.mp4", "default_base_moof"}, {"c.mov", "empty_moov"}}) {
        const std::string bytes = clipBytes(name, encoding + flags);
        EXPECT_EQ(Clip::open(m_folder / name).value()->info().frameCount(), 40) << name;
        const std::size_t type = bytes.rfind("moof"), fragment = type - 4;
        ASSERT_NE(type, std::string::npos);
        const std::size_t length = std::size_t(static_cast<unsigned char>(bytes[type - 2])) << 8 |
                                   static_cast<unsigned char>(bytes[type - 1]);
        for (const std::size_t cut : {1, 2, 3, 4, 5, 6, 7}) refuses(bytes, fragment + cut, fragment + 8);
        refuses(bytes, fragment + 60, fragment + length);
        refuses(bytes, bytes.size() - 1, bytes.size());  // within the index at its end
        // Between two fragments nothing tells that there was more, and the index at the end may be left out.
        EXPECT_EQ(Clip::open(write("part.mp4", bytes.substr(0, fragment))).value()->info().frameCount(), 32);
        EXPECT_TRUE(Clip::open(write("bare.mp4", bytes.substr(0, bytes.rfind("mfra") - 4)))) << name;
        // What others append isn't made of boxes.
        EXPECT_TRUE(Clip::open(write("appended.mp4", bytes + "TAG of somebody's recorder"))) << name;
        EXPECT_TRUE(Clip::open(write("padded.mp4", bytes + std::string(100, '\0')))) << name;
        // Fewer bytes than a box's head, behind the index at the end, and without one where they can't be a
        // head.
        const std::string bare = bytes.substr(0, bytes.rfind("mfra") - 4);
        for (const std::string& padding : {std::string(7, '\0'), std::string("\r\n* end")}) {
            for (std::size_t count = 1; count <= padding.size(); ++count)
                EXPECT_TRUE(Clip::open(write("padded.mp4", bytes + padding.substr(0, count)))) << count;
            EXPECT_TRUE(Clip::open(write("padded.mp4", bare + padding))) << name;
            refuses(bare + padding, bare.size() + 3, bare.size() + 8);
        }
        EXPECT_TRUE(Clip::open(write("padded.mp4", bare + std::string(4, '\0')))) << name;
        std::string holed = bytes;
        holed.replace(bytes.find("moof", fragment / 2) - 8, 40, std::string(40, '\x55'));
        EXPECT_THAT(openingError(write("hole.mp4", holed)).message,
                    HasSubstr(" is no box of MP4, and fragments follow"));
        std::string last = bytes;
        ASSERT_LT(bytes.size() - fragment, 2000u) << "as few as padding may have";
        last.replace(fragment, 64, std::string(64, '\0'));
        last += bytes.substr(fragment);
        EXPECT_THAT(openingError(write("last.mp4", last)).message, HasSubstr("MP4, and fragments follow"));
        last = bytes;
        last.replace(fragment + 4, 4, std::string(4, '\0'));
        EXPECT_THAT(openingError(write("last.mp4", last)).message,
                    HasSubstr(" is no box of MP4, and data follow"));
        last.replace(fragment, 16, std::string(16, '\7'));
        EXPECT_THAT(openingError(write("last.mp4", last)).message, HasSubstr(" is no box of MP4, and "));
        EXPECT_TRUE(Clip::open(write("vendor.mp4", bytes.substr(0, fragment) +
                                                       std::string("\0\0\0\xC"
                                                                   "abcd1234",
                                                                   12) +
                                                       bytes.substr(fragment, bare.size() - fragment) +
                                                       "TAG of somebody's recorder")))
            << name;
        std::string inner = bytes;  // within the first fragment's head
        inner.replace(bytes.find("traf") - 4, 16, std::string(16, '\0'));
        EXPECT_THAT(openingError(write("inner.mp4", inner)).message, HasSubstr(" is no box of MP4"));
        // Types, flags and numbers in heads of fragments.
        for (const std::size_t head : {bytes.find("moof"), fragment + 4}) {
            const std::size_t track = bytes.find("traf", head), run = bytes.find("trun", head);
            const auto refusal = [&](std::size_t place, char bits) {
                std::string damaged = bytes;
                damaged[place] = char(damaged[place] ^ bits);
                return openingError(write("bit.mp4", damaged)).message;
            };
            for (const std::size_t place : {track + 3, track + 11, track + 15, run + 3, run + 6, run + 11})
                EXPECT_THAT(refusal(place, 2), AnyOf(HasSubstr(" is no box of MP4"), HasSubstr("cut short")))
                    << place;
            // The first sample's size is behind its duration, which is behind two fields of the run.
            const auto runFlags = unsigned(static_cast<unsigned char>(bytes[run + 6])) << 8 |
                                  static_cast<unsigned char>(bytes[run + 7]);
            ASSERT_TRUE((runFlags & 0x200) != 0);
            const std::size_t size = run + 12 + 4 * std::size_t(std::popcount(runFlags & 0x105));
            EXPECT_THAT(refusal(size + 1, 64),
                        AnyOf(HasSubstr(" lists samples of "), HasSubstr("cut short")));
        }
        // More than what cameras append.
        const std::string other(3000, '\x55');
        EXPECT_THAT(openingError(write("other.mp4", bare + other)).message,
                    HasSubstr("what it has at byte " + std::to_string(bare.size()) + " is no box of MP4"));
        EXPECT_TRUE(Clip::open(write("other.mp4", bytes + other))) << "behind the index";
        // A download that had its size before its bytes.
        const auto zerosFrom = [&](std::size_t place) {
            const std::string started = bytes.substr(0, place);
            return openingError(write("zeros.mp4", started + std::string(3000, '\0'))).message;
        };
        EXPECT_THAT(zerosFrom(fragment), HasSubstr("it has zeros from byte " + std::to_string(fragment) +
                                                   " on, where a fragment was needed"));
        EXPECT_THAT(zerosFrom(fragment + 60), HasSubstr(" is no box of MP4"));
        EXPECT_TRUE(Clip::open(write("padded.mp4", bytes + std::string(3000, '\0')))) << name;
    }
    // An index at the front says how long all fragments are.
    const std::string listed =
        clipBytes("d.mp4", encoding + "empty_moov+default_base_moof+global_sidx+skip_trailer");
    EXPECT_EQ(Clip::open(m_folder / "d.mp4").value()->info().frameCount(), 40);
    refuses(listed, listed.rfind("moof") - 4, listed.size());
    refuses(listed, listed.rfind("moof") + 20, listed.size());
    // Its other version, with times and offset of 4 bytes; what that saves is a box without contents.
    std::string narrow = listed;
    const std::size_t index = narrow.find("sidx") - 4, bytes = 8 + 4 + 8 + 16 + 4 + 5 * 12;
    ASSERT_EQ(narrow.substr(index, 9), std::string("\0\0\0\x64sidx\1", 9));
    const std::string entries = narrow.substr(index + 36, bytes - 36);
    narrow.replace(index, bytes,
                   std::string("\0\0\0\x5csidx\0", 9) + narrow.substr(index + 9, 11) +
                       std::string("\0\0\0\0\0\0\0\x8", 8) + entries + std::string(3, '\0') + "\bfree");
    EXPECT_EQ(Clip::open(write("narrow.mp4", narrow)).value()->info().frameCount(), 40);
    refuses(narrow, narrow.rfind("moof") - 4, narrow.size());
}

TEST_F(CorruptClip, WholeFragmentedMp4sAreTaken) {
    const std::string source = "'" + (m_folder / "a.mp4").string() + "'";
    ASSERT_TRUE(encodeBarcodes(m_folder / "a.mp4", 40, 96, 64, "16", "-pix_fmt yuv420p -g 8"));
    const auto holds = [&](const std::filesystem::path& path) {
        auto clip = Clip::open(path);
        ASSERT_TRUE(clip) << clip.error().message;
        EXPECT_EQ((*clip)->info().frameCount(), 40);
    };
    const std::string withSound =
        "ffmpeg -y -v error -i " + source +
        " -f lavfi -i sine=d=2.5 -c:v copy -c:a aac -f mp4 -movflags frag_keyframe+";
    const std::string pipe = " - > '" + (m_folder / "whole.mp4").string() + "'";
    for (const std::string flags :
         {"empty_moov", "separate_moof", "dash", "dash+global_sidx", "cmaf", "delay_moov+skip_trailer"}) {
        ASSERT_TRUE(test::runs(withSound + flags + " '" + (m_folder / "whole.mp4").string() + "'")) << flags;
        holds(m_folder / "whole.mp4");
        if (flags.find("global_sidx") != std::string::npos) continue;  // needs a way back
        ASSERT_TRUE(test::runs(withSound + flags + pipe)) << flags;
        holds(m_folder / "whole.mp4");
    }
    // A live recording's last data go on to the end of the file.
    std::string live =
        clipBytes("live.mp4", "-pix_fmt yuv420p -g 8 -movflags +frag_keyframe+empty_moov+skip_trailer");
    live.replace(live.rfind("mdat") - 4, 4, 4, '\0');
    holds(write("open.mp4", live));
    // Segments of DASH, one behind the other.
    const std::string manifest = "'" + (m_folder / "m.mpd").string() + "'";
    ASSERT_TRUE(
        test::runs("ffmpeg -v error -i " + source + " -c copy -seg_duration 0.5 -f dash " + manifest));
    ASSERT_TRUE(test::runs("cd '" + m_folder.path().string() +
                           "' && cat init-stream0.m4s chunk-stream0-*.m4s > segments.mp4"));
    holds(m_folder / "segments.mp4");
}

TEST_F(CorruptClip, ATruncatedGifIsRefusedAndSaysSo) {
    const std::string bytes = clipBytes("a.gif", "");
    for (const std::size_t size : {bytes.size() / 2, bytes.size() - 1}) {
        const Error error = openingError(write("b.gif", bytes.substr(0, size)));
        EXPECT_THAT(error.message, AllOf(HasSubstr("cut short"), HasSubstr(" frames are there")));
        EXPECT_EQ(error.code, ErrorCode::InvalidData);
    }
    EXPECT_EQ(Clip::open(write("padded.gif", bytes + std::string(100, '\0'))).value()->info().frameCount(),
              40);
}

TEST_F(CorruptClip, ATruncatedAviIsRefusedAndSaysSo) {
    const std::string bytes = clipBytes("a.avi", "-c:v mjpeg");
    EXPECT_EQ(Clip::open(m_folder / "a.avi").value()->info().frameCount(), 40);
    for (const std::size_t size : {bytes.size() / 2, bytes.size() - 2})
        EXPECT_THAT(
            openingError(write("b.avi", bytes.substr(0, size))).message,
            AllOf(HasSubstr("cut short"), HasSubstr("it has " + std::to_string(size) + " of at least")));
}

TEST_F(CorruptClip, OthersThatWereCutAreRefusedAndSaySo) {
    for (const auto& [name, options] : {std::pair{"a.flv", "-c:v flv"},
                                        {"a.ogv", "-c:v libtheora"},
                                        {"a.ts", "-c:v mpeg2video"},
                                        {"a.ivf", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8"},
                                        {"a.y4m", "-pix_fmt yuv420p"},
                                        {"b.y4m", "-pix_fmt gray"},
                                        {"c.y4m", "-strict -1 -pix_fmt yuv422p10le"},
                                        {"d.y4m", "-pix_fmt yuv411p"},
                                        {"i.y4m", "-pix_fmt yuv420p -chroma_sample_location left"},
                                        {"e.y4m", "-strict -1 -pix_fmt yuva444p"},
                                        {"f.y4m", "-strict -1 -pix_fmt gray9le"},
                                        {"g.y4m", "-strict -1 -pix_fmt yuv420p10le"},
                                        {"h.y4m", "-strict -1 -pix_fmt yuv422p12le"}}) {
        const std::string bytes = clipBytes(name, options);
        EXPECT_EQ(Clip::open(m_folder / name).value()->info().frameCount(), 40) << name;
        // Half an Ogg may lack its headers, half an IVF may end behind a frame.
        const bool isWhereverCut = std::strstr(name, "ogv") == nullptr && std::strstr(name, "ivf") == nullptr;
        for (const std::size_t size :
             {isWhereverCut ? bytes.size() / 2 + 1 : bytes.size() - 2, bytes.size() - 5})
            EXPECT_THAT(
                openingError(write(std::string("cut") + (std::strchr(name, '.')), bytes.substr(0, size)))
                    .message,
                AllOf(HasSubstr("cut short"), HasSubstr("it has " + std::to_string(size) + " of at least")))
                << name;
    }
    const std::string media = clipBytes("a.wmv", "-c:v wmv2 -qscale:v 1");
    EXPECT_EQ(Clip::open(m_folder / "a.wmv").value()->info().frameCount(), 40);
    EXPECT_THAT(openingError(write("b.wmv", media.substr(0, media.size() / 2))).message,
                HasSubstr("it has " + std::to_string(media.size() / 2) + " of at least"));
    const std::string endless = media + media.substr(0, 16) + std::string(7, '\xff') + '\x7f';
    EXPECT_THAT(openingError(write("c.wmv", endless)).message, HasSubstr("cut short"));
    const std::string source = "'" + (m_folder / "a.wmv").string() + "'";
    ASSERT_TRUE(test::runs("ffmpeg -v error -i " + source + " -c copy -f asf - > '" +
                           (m_folder / "live.wmv").string() + "'"));
    EXPECT_EQ(Clip::open(m_folder / "live.wmv").value()->info().frameCount(), 40);
    ASSERT_TRUE(encodeBarcodes(m_folder / "a.mxf", 40, 96, 64, "25", "-c:v mpeg2video"));
    EXPECT_GT(Clip::open(m_folder / "a.mxf").value()->info().frameCount(), 30);
    const std::string exchanged = readFile(m_folder / "a.mxf").value();
    EXPECT_THAT(openingError(write("b.mxf", exchanged.substr(0, exchanged.size() / 2))).message,
                HasSubstr("cut short"));
    std::string hole = exchanged;
    std::fill(hole.begin() + std::ptrdiff_t(hole.size() / 2), hole.end(), '\0');
    EXPECT_THAT(openingError(write("hole.mxf", hole)).message, HasSubstr("its footer begins at byte"));
    // Through a pipe nobody goes back to say where the footer is.
    ASSERT_TRUE(test::runs("ffmpeg -v error -i '" + (m_folder / "a.mxf").string() + "' -c copy -f mxf - > '" +
                           (m_folder / "live.mxf").string() + "'"));
    EXPECT_TRUE(Clip::open(m_folder / "live.mxf"));
    const std::string live = readFile(m_folder / "live.mxf").value();
    EXPECT_THAT(openingError(write("c.mxf", live.substr(0, live.size() / 2))).message,
                HasSubstr("it has " + std::to_string(live.size() / 2) + " of at least"));
    const std::string ogg = readFile(m_folder / "a.ogv").value();
    EXPECT_THAT(openingError(write("page.ogv", ogg.substr(0, ogg.rfind("OggS")))).message,
                HasSubstr("the end mark of its streams is missing"));
}

TEST_F(CorruptClip, WindowsMediaOfAPipeIsRefusedWhereAPacketIsCut) {
    constexpr std::size_t kPacket = 1000;
    ASSERT_TRUE(
        test::runs("ffmpeg -v error -f lavfi -i testsrc=s=96x64:r=16:d=2.5 -c:v wmv2 -f asf -packet_size " +
                   std::to_string(kPacket) + " - > '" + (m_folder / "live.wmv").string() + "'"));
    EXPECT_EQ(Clip::open(m_folder / "live.wmv").value()->info().frameCount(), 40);
    const std::string bytes = readFile(m_folder / "live.wmv").value();
    // Behind the head of the data, which has no length, come packets, an index and a mark of the end.
    const std::size_t packets = bytes.find("\x36\x26\xB2\x75") + 50,
                      index = bytes.find(std::string("\x90\x08\0\x33", 4));
    ASSERT_LT(packets + 20 * kPacket, bytes.size());
    for (const std::size_t rest : {std::size_t(1), kPacket / 2, kPacket - 1}) {
        const std::size_t size = packets + 19 * kPacket + rest;
        EXPECT_THAT(
            openingError(write("cut.wmv", bytes.substr(0, size))).message,
            AllOf(HasSubstr("cut short"), HasSubstr("it has " + std::to_string(size) + " of at least " +
                                                    std::to_string(packets + 20 * kPacket))));
    }
    EXPECT_TRUE(Clip::open(write("part.wmv", bytes.substr(0, packets + 20 * kPacket))));
    EXPECT_TRUE(Clip::open(write("bare.wmv", bytes.substr(0, index))));
}

TEST_F(CorruptClip, DvIsRefusedWhereAFrameIsCut) {
    // 625 and 525 lines, and 50 Mbit/s.
    for (const auto& [target, frame] : {std::pair{"-s 720x576 -r 25 -pix_fmt yuv420p", 144000},
                                        {"-s 720x480 -r 30000/1001 -pix_fmt yuv411p", 120000},
                                        {"-s 720x576 -r 25 -pix_fmt yuv422p", 288000}}) {
        const std::string options = std::string(" -frames:v 4 -c:v dvvideo ") + target;
        ASSERT_TRUE(test::runs("ffmpeg -y -v error -f lavfi -i testsrc=d=1" + options + " '" +
                               (m_folder / "a.dv").string() + "'"));
        const std::string bytes = readFile(m_folder / "a.dv").value();
        ASSERT_EQ(bytes.size(), 4 * std::size_t(frame)) << target;
        EXPECT_EQ(Clip::open(m_folder / "a.dv").value()->info().frameCount(), 4);
        const std::size_t half = bytes.size() - std::size_t(frame) / 2;
        EXPECT_THAT(openingError(write("cut.dv", bytes.substr(0, half))).message,
                    AllOf(HasSubstr("cut short"), HasSubstr("it has " + std::to_string(half) +
                                                            " of at least " + std::to_string(bytes.size()))));
        EXPECT_EQ(Clip::open(write("part.dv", bytes.substr(0, bytes.size() - std::size_t(frame))))
                      .value()
                      ->info()
                      .frameCount(),
                  3);
    }
}

TEST_F(CorruptClip, ATruncatedY4mIsRefusedHoweverItsHeadersAreWritten) {
    const auto holds = [&](const std::string& bytes) {
        const std::filesystem::path whole = write("whole.y4m", bytes);
        auto clip = Clip::open(whole);
        ASSERT_TRUE(clip) << clip.error().message;
        EXPECT_EQ((*clip)->info().frameCount(), 40);
        const std::size_t lastFrame = bytes.rfind("FRAME");
        for (const std::size_t size : {bytes.size() / 2 + 1, bytes.size() - 1, lastFrame + 3})
            EXPECT_THAT(openingError(write("cut.y4m", bytes.substr(0, size))).message,
                        HasSubstr("it has " + std::to_string(size) + " of at least"));
    };
    // The tag that old writers have alone.
    std::string old = clipBytes("a.y4m", "-strict -1 -pix_fmt yuv422p12le");
    const std::size_t tag = old.find(" C422p12");
    ASSERT_LT(tag, old.find('\n'));
    ASSERT_LT(old.find("XYSCSS=422P12"), old.find('\n'));
    old.erase(tag, std::string(" C422p12").size());
    holds(old);
    // Parameters of each frame.
    std::string tagged = clipBytes("b.y4m", "-pix_fmt yuv420p");
    for (std::size_t at = tagged.find("FRAME\n"); at != std::string::npos; at = tagged.find("FRAME\n", at))
        tagged.replace(at, 6, "FRAME Ip\n");
    holds(tagged);
}

TEST_F(CorruptClip, WhatItsDecoderFindsDamagedIsRefused) {
    for (const std::string encoding :
         {"ffv1 -level 3 -slicecrc 1 -pix_fmt yuv420p -f matroska -write_crc32 0", "mjpeg -f avi"}) {
        const auto whole = m_folder / "whole";
        ASSERT_TRUE(test::runs("ffmpeg -y -v error -f lavfi -i testsrc=s=96x64:r=16:d=2.5 -c:v " + encoding +
                               " '" + whole.string() + "'"));
        std::string bytes = readFile(whole).value();
        const auto damagedFrames = [&](const std::string& contents) {
            auto clip = Clip::open(write("clip", contents));
            EXPECT_TRUE(clip) << clip.error().message;
            std::vector<int> damaged;
            for (int i = 0; clip && i < clip.value()->info().frameCount(); ++i)
                if (!clip.value()->frame(i)) damaged.push_back(i);
            return damaged;
        };
        EXPECT_THAT(damagedFrames(bytes), testing::IsEmpty()) << encoding;
        // Within a frame's data, of which each has more than a kilobyte.
        const std::size_t middle = bytes.size() / 2;
        for (std::size_t at = middle; at < middle + 40; ++at) bytes[at] = char(~bytes[at]);
        // A key frame and those up to the next.
        EXPECT_THAT(damagedFrames(bytes), testing::SizeIs(testing::AllOf(testing::Ge(1u), testing::Le(13u))))
            << encoding;
    }
}

/// Wherever in a frame it is: over the checksums, too.
TEST_F(CorruptClip, AHoleInFfv1IsRefused) {
    for (const std::string options : {"-slices 4", "-slices 4 -g 1 -coder rice -context 0"}) {
        const std::string whole =
            noiseBytes("a.mkv", "-c:v ffv1 -level 3 -slicecrc 1 -pix_fmt bgr0 " + options);
        for (std::size_t at = whole.size() / 2; at < whole.size() / 2 + whole.size() / 24; at += 512) {
            std::string bytes = whole;
            std::fill_n(bytes.begin() + std::ptrdiff_t(at), 512, '\xFF');
            auto clip = Clip::open(write("b.mkv", bytes));
            bool isRefused = !clip;  // over a block's head
            for (int i = 11; clip && i < 14; ++i) isRefused |= !clip.value()->frame(i);
            EXPECT_TRUE(isRefused) << options << " " << at;
        }
    }
}

TEST_F(CorruptClip, WhatItsDecoderMadeUpIsRefused) {
    for (const std::string encoding : {"mpeg2video -f mp4", "mpeg4 -f mp4"}) {
        const auto whole = m_folder / "whole";
        ASSERT_TRUE(test::runs("ffmpeg -y -v error -f lavfi -i testsrc=s=192x128:r=16:d=2.5 -c:v " +
                               encoding + " '" + whole.string() + "'"));
        std::string bytes = readFile(whole).value();
        std::fill_n(bytes.begin() + std::ptrdiff_t(bytes.size() / 2), 200, '\0');
        auto clip = openClip(write("clip", bytes), {.threads = 1});
        ASSERT_TRUE(clip) << clip.error().message;
        std::string refused;
        for (int i = 0; i < clip.value()->info().frameCount(); ++i)
            if (const auto frame = clip.value()->frame(i); !frame) refused += frame.error().message + "\n";
        EXPECT_THAT(refused, HasSubstr(" can't be decoded")) << encoding;
    }
}

TEST_F(CorruptClip, WhatADecoderMadeUpIsToldWithAnyNumberOfThreads) {
    const std::string bytes = noiseBytes("a.mp4", "-c:v libx264 -pix_fmt yuv420p -g 12 -bf 2 -frames:v 24");
    const std::size_t begin = bytes.find("mdat") + 4096, end = bytes.find("moov");
    int lost = 0;
    for (std::size_t place = begin; place + 4096 < end; place += 4096) {
        std::string damaged = bytes;
        for (std::size_t i = place; i < place + 40; ++i) damaged[i] = char(damaged[i] ^ 0x5A);
        const auto path = write("b.mp4", damaged);
        std::vector<std::string> decoded;
        for (const int threads : {1, 2, 4}) {
            const auto clip = openClip(path, {.threads = threads});
            std::string& which = decoded.emplace_back(clip ? "" : clip.error().message);
            for (int frame = 0; clip && frame < (*clip)->info().frameCount(); ++frame)
                which += (*clip)->frame(frame) ? '+' : '-';
        }
        EXPECT_THAT(decoded, testing::Each(decoded.front())) << place;
        lost += decoded.front().find('-') != std::string::npos ? 1 : 0;
    }
    EXPECT_GT(lost, 0);
}

TEST_F(CorruptClip, PartsOfAFrameThatReadAsItsEndAreTold) {
    // 1s are macroblocks that are as in the frame before; without CABAC nothing else says that they are too
    // many.
    const std::string bytes =
        noiseBytes("a.mp4", "-c:v libx264 -pix_fmt yuv420p -g 24 -bf 0 -coder vlc -frames:v 24");
    const std::size_t begin = bytes.find("mdat"), end = bytes.find("moov");
    for (std::size_t place = begin + (end - begin) / 2; place + 4096 < end; place += 4096) {
        std::string damaged = bytes;
        std::fill_n(damaged.begin() + std::ptrdiff_t(place), 400, '\xFF');
        const auto clip = Clip::open(write("b.mp4", damaged));
        int lost = 0;
        for (int frame = 0; clip && frame < (*clip)->info().frameCount(); ++frame)
            lost += (*clip)->frame(frame) ? 0 : 1;
        EXPECT_TRUE(!clip || lost > 0) << place - begin;
    }
}

TEST_F(CorruptClip, AHoleThatItsDemuxerPassesOverIsRefused) {
    struct Format {
        const char *name, *options;
    };
    for (const Format& format : {Format{"a.mkv", "-c:v libx264 -pix_fmt yuv420p -g 8"},
                                 Format{"a.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 8"},
                                 Format{"a.flv", "-c:v flv1"},
                                 Format{"a.ts", "-c:v libx264 -pix_fmt yuv420p"}, Format{"a.gif", ""}}) {
        std::string bytes = clipBytes(format.name, format.options);
        EXPECT_TRUE(Clip::open(m_folder / format.name)) << format.name;
        std::fill_n(bytes.begin() + std::ptrdiff_t(bytes.size() / 4 * 3), bytes.size() / 8, '\0');
        EXPECT_THAT(openingError(write(std::string("hole-") + format.name, bytes)).message,
                    AnyOf(AllOf(HasSubstr("what it has at byte "), HasSubstr(" is no ")),
                          HasSubstr(" pixels"), HasSubstr(" checksum ")))
            << format.name;
    }
}

TEST_F(CorruptClip, MatroskaWithHalfOfAnotherIsRefused) {
    const std::string longer = noiseBytes("a.webm", "-c:v libvpx -deadline realtime -cpu-used 8 -g 6");
    const std::string one = clipBytes("b.webm", "-c:v libvpx -deadline realtime -cpu-used 8 -g 8");
    EXPECT_TRUE(Clip::open(write("c.webm", one + "somebody's remark")));
    EXPECT_FALSE(Clip::open(write("d.webm", one + longer.substr(0, longer.size() / 2))));
    // The head of one, the rest of the other, the file as long as the first one was.
    std::string mixed = one;
    mixed.replace(one.size() / 2, one.npos, longer.substr(longer.size() - (one.size() - one.size() / 2)));
    EXPECT_FALSE(Clip::open(write("e.webm", mixed)));
}

TEST_F(CorruptClip, MatroskaWithAnotherChecksumIsRefused) {
    std::string bytes = clipBytes("a.mkv", "-c:v rawvideo -pix_fmt yuv420p");
    bytes[bytes.size() / 2] ^= 1;
    EXPECT_THAT(openingError(write("b.mkv", bytes)).message,
                HasSubstr(" has another checksum than its bytes"));
    std::fill_n(bytes.begin() + std::ptrdiff_t(bytes.find("\x18\x53\x80\x67")), 12, '\xFF');
    EXPECT_THAT(openingError(write("c.mkv", bytes)).message, HasSubstr(" is no element of Matroska"));
}

TEST_F(CorruptClip, AnAviOfAPipeIsRefusedWhereItIsDamaged) {
    ASSERT_TRUE(
        test::runs("ffmpeg -v error -f lavfi -i testsrc2=s=96x64:r=16:d=2.5 -c:v huffyuv -f avi - | cat > '" +
                   (m_folder / "a.avi").string() + "'"));
    std::string bytes = readFile(m_folder / "a.avi").value();
    EXPECT_EQ(Clip::open(m_folder / "a.avi").value()->info().frameCount(), 40);
    EXPECT_FALSE(Clip::open(write("b.avi", bytes.substr(0, bytes.size() / 2))));
    std::fill_n(bytes.begin() + std::ptrdiff_t(bytes.size() / 2), 65536, '\0');
    EXPECT_THAT(openingError(write("c.avi", bytes)).message, HasSubstr(" is no chunk of AVI"));
}

TEST_F(CorruptClip, AnAnimatedPngThatLacksFramesIsRefused) {
    const std::string bytes = clipBytes("a.apng", "-c:v apng");
    EXPECT_TRUE(Clip::open(m_folder / "a.apng"));
    const std::string end = bytes.substr(bytes.size() - 12);
    const std::string cut = bytes.substr(0, bytes.rfind("fcTL") - 4);
    EXPECT_THAT(openingError(write("b.apng", cut)).message, HasSubstr("the end mark of a PNG is missing"));
    EXPECT_THAT(openingError(write("c.apng", cut + end)).message, HasSubstr("it has 39 of 40 frames"));
    ASSERT_TRUE(test::runs("ffmpeg -v error -f lavfi -i testsrc2=s=96x64:r=16:d=1 -f apng - | cat > '" +
                           (m_folder / "pipe.apng").string() + "'"));
    EXPECT_TRUE(Clip::open(m_folder / "pipe.apng"));
}

/// As of a broadcast that was recorded from the middle on.
TEST_F(CorruptClip, LeadingFramesWithoutTheirReferenceDoNotCount) {
    const auto path = [&](const char* name) { return "'" + (m_folder / name).string() + "'"; };
    for (const std::string encoding :
         {"mpeg2video -bf 2 -g 8", "libx264 -pix_fmt yuv420p -x264-params open-gop=1:bframes=2:keyint=8"}) {
        ASSERT_TRUE(test::runs("ffmpeg -y -v error -f lavfi -i testsrc2=s=192x128:r=25:d=2.5 -c:v " +
                               encoding + " " + path("whole.ts") + " 2>&1"));
        ASSERT_TRUE(test::runs("ffmpeg -y -v error -ss 0.8 -i " + path("whole.ts") + " -t 1 -c copy " +
                               path("cut.ts")));
        ASSERT_TRUE(
            test::runs("ffmpeg -y -v error -i " + path("cut.ts") + " -f framehash " + path("frames.txt")));
        const std::string hashes = readFile(m_folder / "frames.txt").value();
        std::size_t frames = 0;
        for (std::size_t at = hashes.find("\n0,"); at != std::string::npos; at = hashes.find("\n0,", at + 1))
            ++frames;
        auto clip = Clip::open(m_folder / "cut.ts");
        ASSERT_TRUE(clip) << clip.error().message;
        EXPECT_EQ(clip.value()->info().frameCount(), int(frames)) << encoding;
        for (int i = clip.value()->info().frameCount() - 1; i >= 0; --i)
            EXPECT_TRUE(clip.value()->frame(i)) << encoding << " " << i;
    }
}

TEST_F(CorruptClip, ADamagedFirstFrameIsRefused) {
    for (const char* name : {"a.mp4", "a.mkv"}) {
        std::string bytes = clipBytes(name, "-c:v libx264 -pix_fmt yuv420p -g 8");
        const std::size_t frame = bytes.find("x264 - core");  // the first packet's own remark
        ASSERT_NE(frame, std::string::npos);
        std::fill_n(bytes.begin() + std::ptrdiff_t(frame) - 64, 1024, '\0');
        auto clip = Clip::open(write(std::string("b-") + name, bytes));
        EXPECT_FALSE(clip) << name << " has " << (clip ? clip.value()->info().frameCount() : 0) << " frames";
    }
}

/// FFmpeg takes them for streams without a container then.
TEST_F(CorruptClip, AFileWithoutItsHeadIsRefused) {
    for (const auto& [name, options] : {std::pair{"a.avi", "-c:v mjpeg"},
                                        {"a.mov", "-c:v mjpeg"},
                                        {"b.avi", "-c:v mpeg4 -bf 0"},
                                        {"c.avi", "-c:v libx264 -pix_fmt yuv420p"},
                                        {"a.m2v", "-c:v mpeg2video"},
                                        {"a.h264", "-c:v libx264"},
                                        {"a.mpg", "-c:v mpeg2video"},
                                        {"a.mjpeg", "-c:v mjpeg"}}) {
        ASSERT_TRUE(test::runs("ffmpeg -v error -f lavfi -i testsrc2=s=64x48:r=25:d=4 " +
                               std::string(options) + " '" + (m_folder / name).string() + "'"));
        std::string bytes = readFile(m_folder / name).value();
        EXPECT_TRUE(Clip::open(m_folder / name)) << name;
        for (const char with : {'\0', '\xFF'}) {
            std::fill_n(bytes.begin(), 512, with);
            EXPECT_FALSE(Clip::open(write(std::string("hole-") + name, bytes))) << name;
        }
    }
}

TEST_F(CorruptClip, FlashVideoOfKeyFramesIsTaken) {
    clipBytes("a.flv", "-c:v libx264 -pix_fmt yuv420p -g 1 -bf 0 -flvflags add_keyframe_index");
    EXPECT_EQ(Clip::open(m_folder / "a.flv").value()->info().frameCount(), 40);
}

TEST_F(CorruptClip, AnAviThatEndsInZerosIsRefused) {
    std::string bytes = clipBytes("a.avi", "-c:v mjpeg");
    std::fill(bytes.begin() + std::ptrdiff_t(bytes.size() / 2), bytes.end(), '\0');
    EXPECT_THAT(openingError(write("b.avi", bytes)).message, HasSubstr(" is no chunk of AVI"));
    // Whatever lay on the disk before.
    std::fill(bytes.begin() + std::ptrdiff_t(bytes.size() / 2), bytes.end(), '\xFF');
    EXPECT_THAT(openingError(write("c.avi", bytes)).message, HasSubstr(" is no chunk of AVI"));
    std::fill(bytes.begin() + std::ptrdiff_t(bytes.size() / 2), bytes.end(), 'x');
    EXPECT_THAT(openingError(write("d.avi", bytes)).message, HasSubstr(" is no chunk of AVI"));
}

TEST_F(CorruptClip, AnAviWithoutTheHeadOfItsFramesIsRefused) {
    std::string bytes = clipBytes("a.avi", "-c:v mjpeg");
    std::fill_n(bytes.begin() + std::ptrdiff_t(bytes.find("movi")) - 20, 64, '\0');
    EXPECT_THAT(openingError(write("b.avi", bytes)).message,
                HasSubstr("the head of its list of frames (movi) is missing"));
}

TEST_F(CorruptClip, AnMp4OfMoreSamplesThanBytesIsRefused) {
    std::string bytes = clipBytes("a.mp4", "-c:v mpeg4");
    const std::size_t sizes = bytes.find("stsz");
    bytes.replace(sizes + 8, 8, std::string("\0\0\0\1\5\0\0\0", 8));  // of one byte each
    EXPECT_THAT(openingError(write("b.mp4", bytes)).message,
                HasSubstr("its lists say that it has 83886080 samples in " + std::to_string(bytes.size())));
}

TEST_F(CorruptClip, ANutWithADamagedSyncPointIsRefused) {
    const std::string bytes = clipBytes("a.nut", "-c:v mpeg4 -g 8");
    EXPECT_EQ(Clip::open(m_folder / "a.nut").value()->info().frameCount(), 40);
    const std::string code = "NK\xE4\xAD\xEE\xCA\x45\x69";
    std::size_t points = 0;
    for (std::size_t place = 0; (place = bytes.find(code, place)) != std::string::npos; place += 9, ++points)
        for (const std::size_t byte : {std::size_t{3}, code.size() + 2}) {
            std::string damaged = bytes;
            damaged[place + byte] ^= 16;
            EXPECT_THAT(openingError(write("b.nut", damaged)).message, HasSubstr(" is no "))
                << place << " + " << byte;
        }
    EXPECT_GT(points, 3u);
    // Two bytes less in a frame, of which no sync point tells.
    const std::string cut = bytes.substr(0, bytes.size() - 200) + bytes.substr(bytes.size() - 198);
    EXPECT_THAT(openingError(write("b.nut", cut)).message, HasSubstr("cut short or damaged"));
    EXPECT_THAT(openingError(write("b.nut", bytes + bytes.substr(0, bytes.size() / 2))).message,
                HasSubstr("another NUT follows at byte " + std::to_string(bytes.size())));
    clipBytes("without.nut", "-c:v mpeg4 -syncpoints none -strict experimental");
    EXPECT_EQ(Clip::open(m_folder / "without.nut").value()->info().frameCount(), 40);
}

TEST_F(CorruptClip, AWebmWhoseBlocksLeaveTheirClustersIsRefused) {
    const std::string bytes = clipBytes("a.webm", "-c:v libvpx -g 8 -cluster_time_limit 200");
    const std::string cluster = "\x1F\x43\xB6\x75";
    const std::size_t first = bytes.find(cluster), second = bytes.find(cluster, first + 4);
    ASSERT_NE(second, std::string::npos);
    const auto refusal = [&](std::size_t place, int by) {
        std::string damaged = bytes;
        damaged[place] = char(damaged[place] + by);
        return openingError(write("b.webm", damaged)).message;
    };
    const auto behindSize = [&](std::size_t size) {
        return size + 1 + std::size_t(std::countl_zero(static_cast<unsigned char>(bytes[size])));
    };
    for (const int by : {-1, -20, 1, 20})
        EXPECT_THAT(refusal(behindSize(first + 4) - 1, by), HasSubstr(" is no element of Matroska"));
    const std::size_t block = bytes.find('\xA3', first);
    ASSERT_LT(block, second);
    EXPECT_THAT(refusal(behindSize(block + 1), 4),
                HasSubstr("the block at byte " + std::to_string(block) + " is of no track that it lists"));
}

TEST_F(CorruptClip, AWindowsMediaFileWithADamagedPayloadHeadIsRefused) {
    const std::string bytes = clipBytes("a.wmv", "-c:v wmv2");
    EXPECT_EQ(Clip::open(m_folder / "a.wmv").value()->info().frameCount(), 40);
    // A key frame of stream 1, the first object, of which 8 bytes are replicated.
    const std::size_t payload = bytes.find(std::string("\x81\1\0\0\0\0\x08", 7));
    ASSERT_NE(payload, std::string::npos);
    for (const std::size_t byte : {0, 7, 8}) {  // the stream's number, the object's size
        std::string damaged = bytes;
        damaged[payload + byte] = char(damaged[payload + byte] ^ 64);
        EXPECT_THAT(openingError(write("b.wmv", damaged)).message, HasSubstr("doesn't go on where")) << byte;
    }
}

TEST_F(CorruptClip, AnMxfOfWhichAFrameIsGoneSaysSo) {
    std::string bytes = clipBytes("a.mxf", "-c:v mpeg2video -r 25");
    const auto whole = Clip::open(m_folder / "a.mxf").value();
    EXPECT_THAT(remarksOn(whole->info()), testing::IsEmpty());
    // Those of the last two pictures, as if they were other data.
    for (int picture = 0; picture < 2; ++picture) {
        const std::size_t key = bytes.rfind("\x0D\x01\x03\x01\x15");
        ASSERT_NE(key, std::string::npos);
        bytes[key + 2] ^= 32;
    }
    EXPECT_THAT(remarksOn(Clip::open(write("b.mxf", bytes)).value()->info()),
                testing::ElementsAre(HasSubstr("2 of the " + std::to_string(whole->info().frameCount()) +
                                               " frames that it lists are left out")));
    // Whoever writes it to a pipe can't say how many frames there are.
    ASSERT_TRUE(test::runs("ffmpeg -v error -y -i '" + (m_folder / "a.mxf").string() +
                           "' -c copy -f mxf - > '" + (m_folder / "pipe.mxf").string() + "'"));
    EXPECT_THAT(remarksOn(Clip::open(m_folder / "pipe.mxf").value()->info()), testing::IsEmpty());
}

TEST_F(CorruptClip, AGifWhoseControlBlockIsDamagedIsRefused) {
    std::string bytes = clipBytes("a.gif", "");
    const std::size_t last = bytes.rfind("\x21\xF9\4");
    bytes[last + 2] ^= char(0x80);
    EXPECT_THAT(openingError(write("b.gif", bytes)).message,
                HasSubstr("what it has at byte " + std::to_string(last) + " is no block of a GIF"));
    bytes[last + 2] = 4;
    bytes[last + 7] ^= 64;  // its end, as if it had a second part
    EXPECT_THAT(openingError(write("b.gif", bytes)).message,
                HasSubstr("what it has at byte " + std::to_string(last) + " is no block of a GIF"));
    bytes[last + 7] = 0;
    bytes[last + 8] ^= char(0x80);
    EXPECT_THAT(openingError(write("b.gif", bytes)).message,
                HasSubstr("what it has at byte " + std::to_string(last + 8) + " is no block of a GIF"));
}

TEST_F(CorruptClip, AGifWithoutControlBlocksOrWithDamagedOnesIsHeldAgainstItsBlocks) {
    std::string bytes = clipBytes("a.gif", "");
    const std::string control("\x21\xF9\4", 3);
    std::string damaged = bytes;
    damaged[bytes.rfind(control) + 1] ^= 8;  // an extension that nobody knows, over the picture behind it
    damaged[bytes.rfind(control) + 2] ^= 32;
    EXPECT_THAT(openingError(write("b.gif", damaged)).message, HasSubstr(" is no block of a GIF"));
    std::size_t place = 0, last = 0;
    while ((place = bytes.find(control, place)) != std::string::npos) bytes.erase(last = place, 8);
    // Some versions of FFmpeg take all of them for one.
    const auto bare = Clip::open(write("b.gif", bytes)).value();
    EXPECT_EQ(bare->info().frameCount() + bare->info().missing.leftOut, 40);
    EXPECT_EQ(remarksOn(bare->info()).empty(), bare->info().frameCount() == 40);
    damaged = bytes;
    damaged[last - 1] ^= 8;  // the end of the picture before: it has another block
    EXPECT_THAT(openingError(write("b.gif", damaged)).message, HasSubstr(" goes on in the next one"));
    damaged = bytes;
    ASSERT_EQ(damaged[last], 0x2C);
    damaged[last] ^= 1;
    EXPECT_THAT(openingError(write("b.gif", damaged)).message,
                HasSubstr("what it has at byte " + std::to_string(last) + " is no block of a GIF"));
}

TEST_F(CorruptClip, AnMp4WithSamplesOfNoBytesSaysSo) {
    std::string bytes = clipBytes("a.mov", "-c:v mjpeg");
    constexpr std::size_t kBeforeSizes = 16;
    const std::size_t sizes = bytes.find("stsz") + kBeforeSizes;
    bytes.replace(sizes + 4 * 37, 12, 12, '\0');
    EXPECT_THAT(remarksOn(Clip::open(write("b.mov", bytes)).value()->info()),
                testing::ElementsAre(HasSubstr("3 of the 40 frames that it lists are left out")));
}

TEST_F(CorruptClip, AnAviWithAHoleInItsIndexIsRefused) {
    std::string bytes = clipBytes("a.avi", "-c:v mjpeg");
    const std::size_t entry = bytes.rfind("idx1") + 8 + 10 * 16;
    std::fill(bytes.begin() + std::ptrdiff_t(entry), bytes.end(), '\0');
    EXPECT_THAT(openingError(write("b.avi", bytes)).message,
                HasSubstr("what it has at byte " + std::to_string(entry) + " is no entry of an AVI's index"));
}

TEST_F(CorruptClip, AnAviWithTooLargeAChunkInItsHeadIsRefused) {
    std::string bytes = clipBytes("a.avi", "-c:v mjpeg");
    bytes[bytes.find("JUNK") + 5] ^= 32;
    EXPECT_THAT(openingError(write("b.avi", bytes)).message, HasSubstr(" is no chunk of AVI"));
}

TEST_F(CorruptClip, AFrameOfAPipeWhoseKeyIsDamagedIsMissed) {
    const auto ofPipe = [&](const std::string& format, const std::string& options) {
        clipBytes("a." + format, options);
        const auto pipe = m_folder / ("pipe." + format);
        EXPECT_TRUE(test::runs("ffmpeg -v error -y -i '" + (m_folder / ("a." + format)).string() +
                               "' -c copy -f " + format + " - > '" + pipe.string() + "'"));
        EXPECT_GE(Clip::open(pipe).value()->info().frameCount(), 40);
        return readFile(pipe).value();
    };
    std::string bytes = ofPipe("avi", "-c:v mjpeg");
    std::size_t place = bytes.rfind("00dc", bytes.find("idx1"));
    bytes[place + 2] ^= 1;
    EXPECT_THAT(openingError(write("b.avi", bytes)).message,
                HasSubstr("what it has at byte " + std::to_string(place) + " is no chunk of AVI"));
    bytes = ofPipe("mxf", "-c:v mpeg2video -r 25");
    place = bytes.rfind(std::string("\x06\x0E\x2B\x34\1\2\1\1\x0D\1\3\1", 12));
    bytes[place + 10] ^= 4;
    EXPECT_THAT(openingError(write("b.mxf", bytes)).message,
                HasSubstr("what it has at byte " + std::to_string(place) + " is no part of MXF"));
}

TEST_F(CorruptClip, PacketsWithoutAPictureAreSaid) {
    std::string bytes = clipBytes("a.ts", "-c:v libx264 -pix_fmt yuv420p -g 8 -bf 0");
    EXPECT_THAT(remarksOn(Clip::open(m_folder / "a.ts").value()->info()), testing::IsEmpty());
    const std::size_t parameters = bytes.find(std::string("\0\0\1\x67", 4));
    bytes[parameters + 3] ^= 2;  // the first sequence parameter set's type
    EXPECT_THAT(remarksOn(Clip::open(write("b.ts", bytes)).value()->info()),
                testing::ElementsAre(HasSubstr("no picture: it begins within a group of pictures, or is")));
}

TEST_F(CorruptClip, PacketsOfInterlacedH264WithoutAPictureAreSaid) {
    const std::string interlaced =
        "-c:v libx264 -pix_fmt yuv420p -g 8 -bf 0 -flags +ildct+ilme -x264opts tff=1";
    std::string bytes = clipBytes("a.ts", interlaced);
    const auto whole = Clip::open(m_folder / "a.ts").value();
    EXPECT_EQ(whole->info().frameCount(), 40);
    EXPECT_THAT(remarksOn(whole->info()), testing::IsEmpty());
    const std::size_t parameters = bytes.find(std::string("\0\0\1\x67", 4));
    ASSERT_NE(parameters, std::string::npos);
    bytes[parameters + 3] ^= 2;
    EXPECT_THAT(remarksOn(Clip::open(write("b.ts", bytes)).value()->info()),
                testing::Contains(HasSubstr("no picture: it begins within a group of pictures, or is")));
}

TEST_F(CorruptClip, AClipThatIsShorterThanItSaysSaysSo) {
    const std::string bytes = noiseBytes("a.nut", "-c:v mpeg4 -g 6");
    EXPECT_THAT(remarksOn(Clip::open(m_folder / "a.nut").value()->info()), testing::IsEmpty());
    std::string damaged = bytes;
    // Within the last second's frames, but for their sync points.
    const std::size_t last = bytes.rfind("NK\xE4\xAD\xEE\xCA\x45\x69");
    damaged.replace(last + 24, 300, 300, '\xFF');
    const auto clip = Clip::open(write("b.nut", damaged));
    if (clip && (*clip)->info().frameCount() < 24) {
        EXPECT_THAT(remarksOn((*clip)->info()), testing::Contains(HasSubstr("it says that it lasts 2.")));
    }
}

TEST_F(CorruptClip, AMatroskaFileWithADamagedIdIsRefused) {
    const std::string bytes = clipBytes("a.webm", "-c:v libvpx -g 8 -cluster_time_limit 200");
    const std::string cluster = "\x1F\x43\xB6\x75";
    for (const std::size_t place : {bytes.find(cluster), bytes.rfind(cluster)})
        for (std::size_t byte = 0; byte < cluster.size(); ++byte) {
            std::string damaged = bytes;
            damaged[place + byte] ^= 1;
            EXPECT_THAT(openingError(write("b.webm", damaged)).message,
                        HasSubstr("what it has at byte " + std::to_string(place) + " is no element"));
        }
    const std::string checked = clipBytes("a.mkv", "-c:v mpeg4 -g 8 -cluster_time_limit 200");
    const std::size_t sum = checked.find("\xBF\x84", checked.rfind(cluster));
    std::string damaged = checked;
    damaged[sum + 1] ^= 32;  // its size: it would have the first block within
    EXPECT_THAT(openingError(write("b.mkv", damaged)).message,
                HasSubstr("what it has at byte " + std::to_string(sum) + " is no element"));
    damaged = bytes;
    const std::size_t block = bytes.find('\xA3', bytes.find(cluster) + 8);
    damaged[block] ^= 8;  // the size of the cluster before
    EXPECT_THAT(openingError(write("b.webm", damaged)).message,
                HasSubstr("what it has at byte " + std::to_string(block) + " is no element"));
}

TEST_F(CorruptClip, ATransportStreamWithAGapSaysSo) {
    std::string bytes = noiseBytes("a.ts", "-c:v mpeg2video -r 25 -g 6 -frames:v 24");
    EXPECT_THAT(remarksOn(Clip::open(m_folder / "a.ts").value()->info()),
                testing::Not(testing::Contains(HasSubstr("are missing or damaged"))));
    constexpr std::size_t kPacket = 188;
    bytes.erase(bytes.size() / kPacket / 2 * kPacket, 40 * kPacket);
    EXPECT_THAT(remarksOn(Clip::open(write("b.ts", bytes)).value()->info()),
                testing::Contains("parts of its stream are missing or damaged, in 1 place"));
}

TEST_F(CorruptClip, ATransportStreamThatLacksAPacketOfItsFirstFrameSaysSo) {
    const std::string bytes = noiseBytes("a.ts", "-c:v libx265 -x265-params log-level=none -frames:v 24");
    EXPECT_THAT(remarksOn(Clip::open(m_folder / "a.ts").value()->info()), testing::IsEmpty());
    constexpr std::size_t kPacket = 188;
    std::string damaged = bytes;
    damaged.erase(10 * kPacket, kPacket);
    EXPECT_THAT(remarksOn(Clip::open(write("b.ts", damaged)).value()->info()),
                testing::Contains("parts of its stream are missing or damaged, in 1 place"));
}

TEST_F(CorruptClip, AProgramStreamWithAGapSaysSo) {
    const std::string bytes = noiseBytes("a.vob", "-c:v libx264 -pix_fmt yuv420p -g 6 -frames:v 24");
    EXPECT_THAT(remarksOn(Clip::open(m_folder / "a.vob").value()->info()), testing::IsEmpty());
    constexpr std::size_t kPack = 2048;
    const std::size_t middle = bytes.size() / kPack / 2 * kPack;
    for (const std::size_t from : {middle, middle + 700}) {
        std::string damaged = bytes;
        damaged.replace(from, kPack - 700, kPack - 700, '\0');
        const auto clip = Clip::open(write("b.vob", damaged));
        if (clip) {
            EXPECT_THAT(remarksOn((*clip)->info()),
                        testing::Contains("parts of its stream are missing or damaged, in 1 place"));
        }
    }
    std::string damaged = bytes;
    damaged.replace(middle, kPack, bytes, 2 * kPack, kPack);  // an earlier one
    const auto clip = Clip::open(write("b.vob", damaged));
    if (clip) {
        EXPECT_THAT(remarksOn((*clip)->info()),
                    testing::Contains("parts of its stream are missing or damaged, in 1 place"));
    }
}

TEST_F(CorruptClip, AMotionJpegStreamIsTakenWhateverItsPicturesBeginWith) {
    noiseBytes("a.mjpeg", "-c:v mjpeg -q:v 2 -frames:v 24");
    noiseBytes("b.mjpeg", "-c:v mjpeg -q:v 30 -frames:v 24");
    ASSERT_TRUE(test::runs("ffmpeg -v error -i '" + (m_folder / "a.mjpeg").string() + "' -frames:v 1 '" +
                           (m_folder / "one.jpg").string() + "'"));
    EXPECT_THAT(openingError(m_folder / "one.jpg").message, HasSubstr("a clip in one file"));
}

TEST_F(CorruptClip, AStreamThatWasNotWrittenToItsEndIsRefused) {
    noiseBytes("a.mjpeg", "-c:v mjpeg -frames:v 24");
    std::string pictures = readFile(m_folder / "a.mjpeg").value();
    std::fill(pictures.end() - 9000, pictures.end(), '\0');
    EXPECT_THAT(openingError(write("b.mjpeg", pictures)).message,
                HasSubstr("its last 4096 bytes are all the same"));
    for (const char* name : {"a.mpg", "a.nut"})
        for (const char byte : {'\0', '\xFF'}) {
            std::string bytes = noiseBytes(name, "-c:v mpeg2video -r 25 -g 6 -frames:v 24");
            std::fill(bytes.end() - 10000, bytes.end(), byte);
            EXPECT_THAT(
                openingError(write(std::string("b") + name, bytes)).message,
                AnyOf(HasSubstr("its last 4096 bytes are all the same"), HasSubstr("is no frame of NUT")));
        }
}

TEST_F(CorruptClip, AMotionJpegFrameWithoutAScanIsNoEarlierFrame) {
    const std::string bytes = clipBytes("a.mov", "-c:v mjpeg");
    std::size_t scan = 0;
    for (int frame = 0; frame < 6; ++frame) scan = bytes.find("\xFF\xDA", scan + 1);
    // The mark, or which component it is of.
    for (const auto& [byte, bit] : {std::pair{0, 4}, {1, 4}, {5, 2}}) {
        std::string damaged = bytes;
        damaged[scan + std::size_t(byte)] ^= char(bit);
        const auto clip = Clip::open(write("b.mov", damaged)).value();
        EXPECT_TRUE(clip->frame(4));
        const auto frame = clip->frame(5);
        ASSERT_FALSE(frame);
        EXPECT_THAT(frame.error().message, HasSubstr("frame 6 of 40 can't be decoded"));
        EXPECT_TRUE(clip->frame(6));
    }
}

TEST_F(CorruptClip, AMatrixThatIsNoQuarterTurnIsSaid) {
    std::string bytes = clipBytes("a.mp4", "-c:v mpeg4");
    EXPECT_THAT(remarksOn(Clip::open(m_folder / "a.mp4").value()->info()), testing::IsEmpty());
    constexpr std::size_t kBeforeMatrix = 44;
    bytes[bytes.find("tkhd") + kBeforeMatrix] ^= char(0x80);
    EXPECT_THAT(
        remarksOn(Clip::open(write("b.mp4", bytes)).value()->info()),
        testing::ElementsAre("its display matrix is no quarter turn, it is shown by the nearest one"));
}

TEST_F(CorruptClip, AnAviWhoseFirstFrameIsDamagedSaysSo) {
    std::string bytes = clipBytes("a.avi", "-c:v mpeg4 -g 12 -bf 0");
    std::fill_n(bytes.begin() + std::ptrdiff_t(bytes.find("00dc", bytes.find("movi"))) + 10, 64, '\xFF');
    const auto clip = Clip::open(write("b.avi", bytes));
    if (clip) {
        EXPECT_THAT(remarksOn((*clip)->info()), testing::Contains(HasSubstr("no picture")));
    }
}

TEST_F(CorruptClip, AStreamOfNalUnitsWithAHoleOfZerosIsRefused) {
    for (const char* codec : {"libx264", "libx265 -x265-params log-level=none"}) {
        const std::string name = std::string("a.") + (codec[6] == '4' ? "h264" : "h265");
        std::string bytes = clipBytes(name, std::string("-pix_fmt yuv420p -c:v ") + codec);
        EXPECT_EQ(Clip::open(m_folder / name).value()->info().frameCount(), 40);
        const std::size_t hole = bytes.size() / 2;
        EXPECT_TRUE(Clip::open(write("padded" + name, bytes + std::string(2000, '\0'))));
        std::fill_n(bytes.begin() + std::ptrdiff_t(hole), 600, '\0');
        EXPECT_THAT(openingError(write("b" + name, bytes)).message, HasSubstr("it has zeros from byte "));
    }
}

TEST_F(CorruptClip, AFlashVideoWithATagOfAnotherTypeIsRefused) {
    std::string bytes = clipBytes("a.flv", "-c:v flv1");
    // A key frame's: its stream is 0, and its data begin with 0x12.
    const std::size_t tag = bytes.find(std::string("\0\0\0\x12", 4), bytes.find("onMetaData")) - 8;
    ASSERT_EQ(bytes[tag], 9);
    for (const char bits : {1, 2}) {
        std::string damaged = bytes;
        damaged[tag] = char(damaged[tag] ^ bits);
        EXPECT_THAT(openingError(write("b.flv", damaged)).message, HasSubstr(" is no tag of Flash Video"));
    }
    // Of another codec: readers take it for a second video.
    const std::size_t inter = bytes.find(std::string("\0\0\0\x22", 4), tag);
    bytes[inter + 3] ^= 4;
    EXPECT_THAT(openingError(write("b.flv", bytes)).message,
                HasSubstr("what it has at byte " + std::to_string(inter - 8) + " is no tag of Flash Video"));
}

TEST_F(CorruptClip, AFlashVideoWhoseFirstTimeIsDamagedIsRefused) {
    std::string bytes = clipBytes("a.flv", "-c:v libx264 -pix_fmt yuv420p");
    // Behind the stream's own head: a key frame's tag, whose time is of 24 bits.
    const std::size_t tag = bytes.find(std::string("\x17\1", 2)) - 11;
    ASSERT_EQ(bytes[tag], 9);
    bytes[tag + 5] ^= 64;
    EXPECT_THAT(openingError(write("b.flv", bytes)).message, HasSubstr("its first frame can't be decoded"));
}

TEST_F(CorruptClip, AnMp4OfASampleThatIsLargerThanItIsRefused) {
    std::string bytes = clipBytes("a.mp4", "-c:v mpeg4");
    bytes[bytes.find("stsz") + 16 + 4 * 10] ^= 64;
    EXPECT_THAT(openingError(write("b.mp4", bytes)).message,
                AllOf(HasSubstr("it lists a sample of 10737"), HasSubstr(" bytes in ")));
}

TEST_F(CorruptClip, AnMp4WhoseListsLeaveFramesOutSaysSo) {
    std::string bytes = clipBytes("a.mp4", "-c:v mpeg4");
    EXPECT_THAT(remarksOn(Clip::open(m_folder / "a.mp4").value()->info()), testing::IsEmpty());
    bytes[bytes.find("stts") + 16] ^= 1;  // a frame lasts longer than the clip
    EXPECT_THAT(remarksOn(Clip::open(write("b.mp4", bytes)).value()->info()),
                testing::ElementsAre(HasSubstr("39 of the 40 frames that it lists are left out")));
}

TEST_F(CorruptClip, AFragmentedMp4WhoseFramesAreLeftOutSaysSo) {
    std::string bytes = clipBytes("a.mp4", "-pix_fmt yuv420p -g 8 -movflags +frag_keyframe+empty_moov");
    EXPECT_THAT(remarksOn(Clip::open(m_folder / "a.mp4").value()->info()), testing::IsEmpty());
    for (std::size_t place = bytes.find("moov"); place < bytes.find("moof") - 4; ++place) {
        std::string damaged = bytes;
        damaged[place] = char(damaged[place] ^ 1 << place % 8);
        const auto clip = Clip::open(write("b.mp4", damaged));
        if (clip && (*clip)->info().frameCount() != 40) {
            EXPECT_THAT(remarksOn((*clip)->info()), testing::Not(testing::IsEmpty())) << place;
        }
    }
}

TEST_F(CorruptClip, AFragmentedMp4WhoseDataSwallowAFragmentIsRefused) {
    const std::string bytes = clipBytes("a.mp4", "-pix_fmt yuv420p -g 8 -movflags +frag_keyframe+empty_moov");
    const std::size_t fragment = bytes.rfind("moof") - 4, data = bytes.rfind("mdat", fragment) - 4;
    std::string damaged = bytes;
    damaged[data + 2] = char(damaged[data + 2] + 1);
    EXPECT_THAT(openingError(write("b.mp4", damaged)).message,
                HasSubstr("what it has at byte " + std::to_string(data) + " is no box of MP4"));
    damaged = bytes;
    const std::size_t number = bytes.rfind("mfhd") - 4;
    damaged[number + 3] ^= char(0x80);  // its size: it would have the fragment's track within
    EXPECT_THAT(openingError(write("b.mp4", damaged)).message,
                HasSubstr("what it has at byte " + std::to_string(number) + " is no box of MP4"));
    damaged = bytes;
    std::fill(damaged.begin() + std::ptrdiff_t(fragment), damaged.end(), '\xEE');
    EXPECT_THAT(openingError(write("b.mp4", damaged)).message,
                HasSubstr("what it has at byte " + std::to_string(fragment) + " is no box of MP4"));
}

TEST_F(CorruptClip, AnMp4WithoutATimeScaleIsRefused) {
    for (const char* made : {"a.mp4", "a.mov", "a.3gp"}) {
        const std::string bytes = clipBytes(made, "-c:v mpeg4");
        std::string scaleless = bytes;
        scaleless.replace(bytes.find("mdhd") + 16, 4, 4, '\0');
        EXPECT_THAT(openingError(write("b.mp4", scaleless)).message,
                    HasSubstr("the video's time scale is 0, 1 to 2147483647 units a second were needed"));
        scaleless.replace(bytes.find("mdhd") + 16, 4, 4, '\xFF');
        EXPECT_THAT(openingError(write("b.mp4", scaleless)).message,
                    HasSubstr("the video's time scale is 4294967295"));
    }
}

TEST_F(CorruptClip, DvWithOtherBytesIsRefusedWhereTheyAre) {
    const auto path = m_folder / "a.dv";
    ASSERT_TRUE(
        test::runs("ffmpeg -v error -f lavfi -i testsrc=s=720x576:r=25:d=0.2 -c:v dvvideo -pix_fmt "
                   "yuv420p '" +
                   path.string() + "'"));
    std::string bytes = readFile(path).value();
    std::fill(bytes.begin() + 400'000, bytes.begin() + 440'000, '\xFF');
    auto clip = Clip::open(write("b.dv", bytes));
    ASSERT_TRUE(clip) << clip.error().message;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(bool(clip.value()->frame(i)), i != 2 && i != 3) << i;
}

TEST_F(CorruptClip, AnAviWithADamagedIndexIsRefused) {
    std::string bytes = clipBytes("a.avi", "-c:v mjpeg");
    const std::size_t place = bytes.size() - 5 * 16 + 8;  // of an entry near the end: where its chunk is
    bytes[place] ^= 2;
    EXPECT_THAT(openingError(write("b.avi", bytes)).message,
                AllOf(HasSubstr("its index lists a chunk at byte "), HasSubstr(", which isn't there")));
    // Places may count from the file's beginning, too.
    bytes[place] ^= 2;
    const std::size_t list = bytes.find("movi"), index = bytes.rfind("idx1") + 8;
    for (std::size_t entry = index; entry + 16 <= bytes.size(); entry += 16) {
        std::uint32_t offset = 0;
        std::memcpy(&offset, &bytes[entry + 8], 4);
        offset += static_cast<std::uint32_t>(list);
        std::memcpy(&bytes[entry + 8], &offset, 4);
    }
    EXPECT_TRUE(Clip::open(write("c.avi", bytes)));
}

/// Without stamps a lost frame would move all that come behind it.
TEST_F(CorruptClip, DamagedPacketsWithoutStampsAreRefused) {
    const std::string bytes = noiseBytes("a.avi", "-c:v mpeg4 -g 8 -bf 2");
    const std::string_view picture("\0\0\1\xB6", 4);
    std::size_t key = bytes.rfind(picture);
    while (static_cast<unsigned char>(bytes[key + 4]) >= 0x40) key = bytes.rfind(picture, key - 1);
    const auto holed = [&](std::size_t place, std::size_t count) {
        return write("b.avi", std::string(bytes).replace(place, count, std::string(count, '\0')));
    };
    const std::size_t packet = bytes.rfind("00dc", key) + 8;
    EXPECT_THAT(openingError(holed(packet + 4, 512)).message, HasSubstr("of its packets can't be decoded"));
    // Taken for a picture that isn't there: a gap in time is left.
    auto skipped = Clip::open(holed(key + 4, 8));
    ASSERT_TRUE(skipped) << skipped.error().message;
    EXPECT_EQ(skipped.value()->info().frameCount(), 21);
    EXPECT_TRUE(skipped.value()->info().unequal);
}

TEST_F(CorruptClip, AnMp4WithZerosInItsListOfContentsIsRefused) {
    const auto path = m_folder / "a.mp4";
    ASSERT_TRUE(
        test::runs("ffmpeg -v error -f lavfi -i testsrc=s=96x64:r=16:d=1 -f lavfi -i sine=d=1 -c:v mpeg4 '" +
                   path.string() + "'"));
    std::string bytes = readFile(path).value();
    EXPECT_TRUE(Clip::open(path));
    const std::size_t sound = bytes.rfind("mdia") - 4;
    std::fill(bytes.begin() + std::ptrdiff_t(sound), bytes.end(), '\0');
    EXPECT_THAT(openingError(write("b.mp4", bytes)).message,
                HasSubstr("what it has at byte " + std::to_string(sound) + " is no box of MP4"));
}

TEST_F(CorruptClip, FlashVideoIsAsLongAsItSays) {
    const std::string bytes = clipBytes("a.flv", "-c:v flv1");
    EXPECT_TRUE(Clip::open(m_folder / "a.flv"));
    const std::size_t last = bytes.size() - 4 -
                             (std::size_t(static_cast<unsigned char>(bytes[bytes.size() - 2])) << 8 |
                              static_cast<unsigned char>(bytes.back()));
    EXPECT_THAT(openingError(write("b.flv", bytes.substr(0, last))).message,
                HasSubstr(" of at least " + std::to_string(bytes.size()) + " bytes"));
}

TEST_F(CorruptClip, ATransportStreamMayBeginWithinAPacketOnly) {
    std::string bytes = noiseBytes("a.ts", "-c:v mpeg2video -g 4");
    EXPECT_TRUE(Clip::open(write("b.ts", bytes.substr(100))));
    std::string holed = bytes.substr(100);
    holed[88 + 20 * 188] = 'x';
    EXPECT_THAT(openingError(write("c.ts", holed)).message,
                HasSubstr("what it has at byte " + std::to_string(88 + 20 * 188) +
                          " is no packet of a transport stream"));
    std::fill_n(bytes.begin(), 4096, '\0');
    EXPECT_THAT(openingError(write("d.ts", bytes)).message,
                HasSubstr("what it has at byte 0 is no packet of a transport stream"));
}

TEST_F(CorruptClip, AnMxfThatLacksBytesIsRefused) {
    std::string bytes = clipBytes("a.mxf", "-c:v mpeg2video -r 25 -g 4");
    EXPECT_TRUE(Clip::open(m_folder / "a.mxf"));
    EXPECT_TRUE(Clip::open(write("b.mxf", "somebody's run-in" + bytes)));
    EXPECT_THAT(openingError(write("c.mxf", bytes.erase(bytes.size() / 2, 100))).message,
                HasSubstr(" is no part of MXF"));
}

TEST_F(CorruptClip, AnOggPageWithOtherBytesIsRefused) {
    std::string bytes = clipBytes("a.ogv", "-c:v libtheora");
    const std::size_t page = bytes.rfind("OggS", bytes.size() - 100);
    bytes[(page + bytes.size()) / 2] ^= 1;
    EXPECT_THAT(openingError(write("b.ogv", bytes)).message,
                HasSubstr(" has another checksum than its bytes"));
}

TEST_F(CorruptClip, AnOggThatLacksAPageIsRefused) {
    std::string bytes = clipBytes("a.ogv", "-c:v libtheora -page_duration 1000");
    const std::size_t page = bytes.rfind("OggS", bytes.rfind("OggS") - 1);
    bytes.erase(page, bytes.rfind("OggS") - page);
    EXPECT_THAT(openingError(write("b.ogv", bytes)).message,
                AllOf(HasSubstr("the page at byte "), HasSubstr(", the one before has ")));
}

TEST_F(CorruptClip, AWindowsMediaFileWithZeroPacketsIsRefused) {
    ASSERT_TRUE(test::runs("ffmpeg -v error -f lavfi -i testsrc=s=96x64:r=16:d=2.5 -c:v wmv2 '" +
                           (m_folder / "a.wmv").string() + "'"));
    std::string bytes = readFile(m_folder / "a.wmv").value();
    EXPECT_TRUE(Clip::open(m_folder / "a.wmv"));
    const std::size_t packet = bytes.find(std::string_view("\x82\0\0", 3), bytes.size() / 4);
    std::fill(bytes.begin() + std::ptrdiff_t(packet), bytes.end(), '\0');
    EXPECT_THAT(openingError(write("b.wmv", bytes)).message, HasSubstr(", where a packet was needed"));
}

TEST_F(CorruptClip, AWindowsMediaFileThatLacksPiecesOfAFrameIsRefused) {
    ASSERT_TRUE(
        test::runs("ffmpeg -v error -f lavfi -i testsrc=s=96x64:r=16:d=2.5 -f lavfi -i sine=d=2.5 "
                   "-c:v wmv2 -c:a wmav2 -shortest '" +
                   (m_folder / "a.wmv").string() + "'"));
    const std::string whole = readFile(m_folder / "a.wmv").value();
    EXPECT_TRUE(Clip::open(m_folder / "a.wmv"));
    constexpr std::size_t kPacket = 3200;  // as FFmpeg's muxer writes them
    const std::size_t packet = whole.find(std::string_view("\x82\0\0", 3), whole.size() / 2);
    ASSERT_LT(packet + 2 * kPacket, whole.size());
    std::string lost = whole;
    lost.replace(packet, kPacket, whole.substr(packet + kPacket, kPacket));
    EXPECT_THAT(openingError(write("b.wmv", lost)).message,
                HasSubstr("doesn't go on where the one before ends"));
    std::string holed = whole;
    std::fill_n(holed.begin() + std::ptrdiff_t(packet), 64, '\xFF');
    EXPECT_THAT(openingError(write("c.wmv", holed)).message,
                HasSubstr("the packet at byte " + std::to_string(packet) + " doesn't go on"));
}

TEST_F(CorruptClip, AGifThatGoesOnBehindItsEndMarkIsRefused) {
    const std::string whole = clipBytes("a.gif", "");
    std::string bytes = whole;
    const std::size_t picture = bytes.find(std::string_view("\x21\xF9\4", 3), bytes.size() / 2);
    ASSERT_NE(picture, std::string::npos);
    bytes[picture] = 0x3B;
    EXPECT_THAT(openingError(write("b.gif", bytes)).message,
                HasSubstr("blocks follow its end mark at byte " + std::to_string(picture)));
    EXPECT_TRUE(Clip::open(write("c.gif", whole + "somebody's remark"))) << "what others append";
    std::string padded = whole;
    EXPECT_TRUE(Clip::open(write("e.gif", padded.insert(whole.size() - 1, 3, '\0'))));
    std::string zeros = whole;
    std::fill(zeros.begin() + std::ptrdiff_t(picture), zeros.end(), '\0');
    EXPECT_THAT(openingError(write("f.gif", zeros)).message, HasSubstr("what it has at byte "));
    EXPECT_TRUE(Clip::open(write("d.gif", whole + whole)));
}

TEST_F(CorruptClip, AGifWithDamagedCodesIsRefused) {
    const std::string whole = clipBytes("a.gif", "");
    std::string bytes = whole;
    const std::size_t block = bytes.find(std::string_view("\x21\xF9\4", 3), bytes.size() / 2);
    const std::size_t picture = bytes.find('\x2C', block + 8);
    bytes.replace(picture + 20, 30, std::string(30, '\xAA'));
    EXPECT_THAT(openingError(write("b.gif", bytes)).message,
                HasSubstr("the picture at byte " + std::to_string(picture) + " has "));
}

TEST_F(CorruptClip, ATruncatedWebMIsRefusedAndSaysSo) {
    const std::string vp9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 8 ";
    for (const std::string name : {"a.webm", "a.mkv"}) {
        const std::string bytes = clipBytes(name, vp9 + "-cluster_time_limit 500");
        // Wherever it is cut, between two clusters too: the header says how much there was.
        const std::size_t cluster = bytes.rfind("\x1F\x43\xB6\x75");
        ASSERT_NE(cluster, std::string::npos);
        for (const std::size_t size : {bytes.size() / 2, cluster, bytes.size() - 1}) {
            const Error error = openingError(write("b.webm", bytes.substr(0, size)));
            EXPECT_THAT(error.message, AllOf(HasSubstr("cut short"), HasSubstr(" frames of 2.50 s"),
                                             HasSubstr(std::to_string(size) + " of at least ")))
                << name;
        }
    }
}

TEST_F(CorruptClip, AWebMOfUnknownLengthIsReadUnlessItEndsWithinACluster) {
    ASSERT_TRUE(
        test::runs("ffmpeg -v error -f lavfi -i testsrc=s=96x64:r=16:d=2.5 -c:v libvpx-vp9 -deadline "
                   "realtime -cpu-used 8 -g 8 -cluster_time_limit 500 -f webm - | cat > '" +
                   (m_folder / "live.webm").string() + "'"));
    const std::string bytes = readFile(m_folder / "live.webm").value();
    EXPECT_EQ(Clip::open(m_folder / "live.webm").value()->info().frameCount(), 40);
    const std::size_t cluster = bytes.rfind("\x1F\x43\xB6\x75");
    ASSERT_NE(cluster, std::string::npos);
    // Between two clusters nothing tells that there was more.
    EXPECT_TRUE(Clip::open(write("boundary.webm", bytes.substr(0, cluster))));
    EXPECT_THAT(openingError(write("within.webm", bytes.substr(0, cluster + 200))).message,
                HasSubstr("cut short"));
}

TEST_F(CorruptClip, APictureOfImpossibleSizeIsRefusedBeforeItIsAllocated) {
    // The sample entry of the track says the size; the decoder's own header is left as it was.
    std::string bytes = clipBytes("a.mp4", "-c:v mpeg4 -bf 0");
    const std::size_t entry = bytes.find("mp4v");
    ASSERT_NE(entry, std::string::npos);
    for (const std::size_t at : {entry + 28, entry + 30}) bytes.replace(at, 2, "\xff\xff");
    auto clip = Clip::open(write("huge.mp4", bytes));
    if (!clip) {
        EXPECT_THAT(clip.error().message, HasSubstr("65535x65535"));
    } else {
        // The stream's own header won; a false size beside the track's own makes a false pixel aspect, as in
        // any player.
        EXPECT_EQ((*clip)->info().height, 64);
        EXPECT_EQ((*clip)->info().width, 96 * 3 / 2);
    }
}

TEST_F(CorruptClip, DamagedBytesNeverCrash) {
    const std::vector<std::string> originals{
        clipBytes("a.mp4", "-pix_fmt yuv420p -g 10"),
        clipBytes("a.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 10"), clipBytes("a.gif", ""),
        clipBytes("a.avi", "-c:v mpeg4 -bf 2")};
    std::mt19937 random(3);
    int opened = 0;
    for (const std::string& original : originals) {
        for (int round = 0; round < 60; ++round) {
            std::string bytes = original;
            const int hits = 1 + int(random() % 30);
            for (int i = 0; i < hits; ++i) bytes[random() % bytes.size()] = char(random());
            if (round % 4 == 0) bytes.resize(random() % bytes.size());
            auto clip = Clip::open(write("damaged", bytes));
            if (!clip) {
                EXPECT_FALSE(clip.error().message.empty());
                continue;
            }
            ++opened;
            for (const int index : {0, (*clip)->info().frameCount() - 1, (*clip)->info().frameCount() / 2}) {
                auto frame = (*clip)->frame(index);
                EXPECT_TRUE(!frame || (*frame)->index == index);
            }
        }
    }
    EXPECT_GT(opened, 20);
}

TEST_F(CorruptClip, ADamagedFrameCostsThatFrameNotTheClip) {
    std::string bytes = clipBytes("a.mov", "-vf scale=384:256 -c:v mjpeg -q:v 2");
    // The tenth picture's data becomes noise without a JPEG header.
    std::size_t at = 0;
    for (int i = 0; i < 10; ++i) at = bytes.find("\xff\xd8\xff", at + 1);
    ASSERT_NE(at, std::string::npos);
    for (std::size_t i = 0; i < 700; ++i) bytes[at + i] = char(i * 37);
    auto clip = Clip::open(write("b.mov", bytes)).value();
    int good = 0;
    for (int i = 0; i < clip->info().frameCount(); ++i) {
        auto frame = clip->frame(i);
        if (frame && test::readBarcode(**frame) == i) ++good;
    }
    EXPECT_EQ(clip->info().frameCount(), 40);
    EXPECT_EQ(good, 39);
}

}  // namespace
}  // namespace reelgrid::media
