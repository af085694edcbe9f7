#include "core/comparison/clip_measurer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "core/base/pending_file.h"
#include "core/base/sha256.h"
#include "core/comparison/compared_frames.h"
#include "core/media/writer.h"
#include "core/protocol/result_paths.h"
#include "core/result/pending_result.h"
#include "tests/session/session_folder.h"

namespace reelgrid::comparison {
namespace {

/// Grey frames, each a little lighter than the last.
media::RgbVideo greys(int width, int first) {
    media::RgbVideo video{.width = width, .height = 32, .fps = {16, 1}, .pixels = {}};
    for (int frame = 0; frame < 4; ++frame)
        video.pixels.insert(video.pixels.end(), video.frameBytes(), std::uint8_t(first + 4 * frame));
    return video;
}

class ClipMeasurerTest : public testing::Test {
  protected:
    session::SessionFolder m_folder;
    std::filesystem::path write(const std::string& name, const media::RgbVideo& video) const {
        EXPECT_TRUE(media::writeClip(m_folder.path() / name, video));
        return m_folder.path() / name;
    }
};

TEST_F(ClipMeasurerTest, MeasuresTheDriftAndSaysOnWhat) {
    const auto reference = write("sdpa.mp4", greys(48, 60));
    ClipMeasurer measurer(reference);
    metrics::ClipMetrics known;
    const auto added = measurer.complete(write("fav2.mp4", greys(48, 80)), known);
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_TRUE(*added);
    EXPECT_EQ(known.frames, 4);
    ASSERT_TRUE(known.drift);
    EXPECT_NEAR(known.drift->psnr->mean, 22.1, 1) << "20 codes apart";
    EXPECT_EQ(known.drift->reference, "") << "nothing says what rendered it";
    EXPECT_EQ(known.drift->referenceClip, "sdpa.mp4");
    EXPECT_EQ(known.drift->referenceSha256, sha256OfFile(reference).value());
    EXPECT_EQ(known.drift->measuredOn, metrics::kDecodedClips);
}

TEST_F(ClipMeasurerTest, MeasuresPartByPartWhatItMeasuresAtOnce) {
    for (const int referenceFrames : {3, 4}) {
        media::RgbVideo shorter = greys(48, 60);
        shorter.pixels.resize(std::size_t(referenceFrames) * shorter.frameBytes());
        const auto reference = write("sdpa.mp4", shorter);
        const auto clip = write("fav2.mp4", greys(48, 80));
        metrics::ClipMetrics whole, parts;
        ASSERT_TRUE(ClipMeasurer(reference).complete(clip, whole));
        ASSERT_TRUE(ClipMeasurer(reference, 1).complete(clip, parts));
        EXPECT_EQ(parts.frames, 4);
        EXPECT_EQ(parts.drift->psnr->perFrame, whole.drift->psnr->perFrame);
        EXPECT_EQ(int(parts.drift->psnr->perFrame.size()), referenceFrames);
        EXPECT_EQ(parts.drift->referenceFrames, referenceFrames);
        EXPECT_EQ(parts.flickering->perFrame, whole.flickering->perFrame);
        EXPECT_EQ(parts.gates->luminanceVariance, whole.gates->luminanceVariance);
    }
}

TEST_F(ClipMeasurerTest, EndsWhenItIsAskedTo) {
    const auto clip = write("fav2.mp4", greys(48, 80));
    std::stop_source stop;
    stop.request_stop();
    metrics::ClipMetrics known;
    const auto measured = ClipMeasurer({}).complete(clip, known, stop.get_token());
    ASSERT_FALSE(measured);
    EXPECT_EQ(measured.error().code, ErrorCode::Cancelled);
    EXPECT_EQ(known.frames, 0);
}

TEST_F(ClipMeasurerTest, KeepsWhatTheRenderMeasured) {
    const auto reference = write("sdpa.mp4", greys(48, 60));
    ClipMeasurer measurer(reference);
    metrics::ClipMetrics known;
    known.frames = 4;
    const std::vector<double> list{0.5, 0.5, 0.5};
    known.frameCorrelation = metrics::Series{0.5, list};
    known.flickering = metrics::Series{0.25, list};
    known.warpingError = metrics::Series{0.125, list};
    known.drift.emplace().psnr = metrics::Series{99, {}};
    known.drift->referenceSha256 = sha256OfFile(reference).value();
    const auto clip = write("fav2.mp4", greys(48, 80));
    EXPECT_FALSE(measurer.complete(clip, known).value());
    EXPECT_EQ(known.drift->psnr->mean, 99);

    known.drift.reset();
    EXPECT_TRUE(measurer.complete(clip, known).value());
    EXPECT_TRUE(known.drift);
    EXPECT_EQ(known.frameCorrelation->mean, 0.5);
    EXPECT_EQ(known.flickering->mean, 0.25);
}

TEST_F(ClipMeasurerTest, MeasuresAnewWhatIsFromAnotherReference) {
    const auto reference = write("sdpa.mp4", greys(48, 60));
    const auto clip = write("fav2.mp4", greys(48, 80));
    const std::string own = ClipMeasurer(reference).referenceSha256();
    EXPECT_EQ(own, sha256OfFile(reference).value());
    for (const std::string& other : {std::string(), std::string("5d")}) {
        metrics::ClipMetrics known;
        known.drift.emplace().psnr = metrics::Series{99, {99}};
        known.drift->reference = "sdpa";
        known.drift->referenceClip = "sdpa.mp4";
        known.drift->referenceSha256 = other;
        EXPECT_TRUE(ClipMeasurer(reference).complete(clip, known).value());
        EXPECT_NEAR(known.drift->psnr->mean, 22.1, 1);
        EXPECT_EQ(known.drift->referenceSha256, own);
    }
    // One that took its place under the same name is another reference.
    ClipMeasurer measurer(reference);
    metrics::ClipMetrics known;
    ASSERT_TRUE(measurer.complete(clip, known));
    EXPECT_FALSE(measurer.complete(clip, known).value());
    write("sdpa.mp4", greys(48, 20));
    EXPECT_TRUE(measurer.complete(clip, known).value());
    EXPECT_NEAR(known.drift->psnr->mean, 12.6, 1) << "60 codes apart";
    // Of itself and of another size there is none; without a reference it stays what it was.
    EXPECT_FALSE(ClipMeasurer({}).complete(clip, known).value());
    EXPECT_TRUE(known.drift);
    metrics::ClipMetrics itself = known;
    EXPECT_TRUE(ClipMeasurer(clip).complete(clip, itself).value());
    EXPECT_FALSE(itself.drift);
    EXPECT_TRUE(ClipMeasurer(write("wide.mp4", greys(64, 60))).complete(clip, known).value());
    EXPECT_FALSE(known.drift);
}

TEST_F(ClipMeasurerTest, GivesAnOlderClipTheListsThatItLacks) {
    ClipMeasurer measurer({});
    metrics::ClipMetrics known;
    known.frames = 4;
    known.frameCorrelation = metrics::Series{0.5, {0.5, 0.5, 0.5}};
    known.flickering = metrics::Series{0.25, {}};
    const auto clip = write("fav2.mp4", greys(48, 80));
    EXPECT_TRUE(measurer.complete(clip, known).value());
    EXPECT_EQ(known.frameCorrelation->mean, 0.5);
    ASSERT_FALSE(known.flickering->perFrame.empty());
    EXPECT_EQ(known.flickering->mean, metrics::seriesOf(known.flickering->perFrame).mean) << "of its list";
    EXPECT_EQ(known.warpingError->perFrame.size(), known.flickering->perFrame.size());
}

TEST_F(ClipMeasurerTest, ComparesNeitherTheReferenceNorAnotherSize) {
    const auto reference = write("sdpa.mp4", greys(48, 60));
    ClipMeasurer measurer(reference);
    for (const auto& clip : {reference, write("wide.mp4", greys(64, 60))}) {
        metrics::ClipMetrics known;
        EXPECT_TRUE(measurer.complete(clip, known).value());
        EXPECT_EQ(known.frames, 4);
        EXPECT_FALSE(known.drift);
    }
}

/// A clip whose frames were kept, as a render leaves them.
class KeptFramesTest : public ClipMeasurerTest {
  protected:
    std::filesystem::path writeKept(const std::string& name, const media::RgbVideo& video) const {
        const std::filesystem::path clip = m_folder.path() / name;
        auto pending = result::PendingResult::create(clip);
        EXPECT_TRUE(pending) << pending.error().message;
        EXPECT_TRUE(media::writeClip(pending->clip(), video));
        EXPECT_TRUE(media::writeClip(pending->frames(), video));
        std::ofstream(pending->latents()) << "latents";
        result::Manifest manifest;
        manifest.request.emplace().attentionType = clip.stem().string();
        manifest.keptFrames = result::KeptFrames{std::filesystem::file_size(pending->frames()),
                                                 sha256OfFile(pending->frames()).value()};
        EXPECT_TRUE(pending->commit(manifest, {}, {}));
        return clip;
    }
    static std::filesystem::path framesOf(const std::filesystem::path& clip) {
        return protocol::resultFolderOf(clip) / protocol::kFramesFile;
    }
};

TEST_F(KeptFramesTest, AreMeasuredInThePlaceOfTheClips) {
    const auto reference = writeKept("sdpa.mp4", greys(48, 60));
    metrics::ClipMetrics known;
    ASSERT_TRUE(ClipMeasurer(reference).complete(writeKept("fav2.mp4", greys(48, 80)), known));
    EXPECT_NEAR(known.drift->psnr->mean, 20 * std::log10(255.0 / 20), 1e-9) << "20 codes in every sample";
    EXPECT_EQ(known.drift->measuredOn, metrics::kKeptFrames);
    EXPECT_EQ(known.drift->reference, "sdpa");
    metrics::ClipMetrics fromFav2;
    ASSERT_TRUE(ClipMeasurer(m_folder.path() / "fav2.mp4").complete(reference, fromFav2));
    EXPECT_EQ(fromFav2.drift->reference, "fav2");
    metrics::ClipMetrics mixed;
    ASSERT_TRUE(ClipMeasurer(reference).complete(write("sagev1.mp4", greys(48, 80)), mixed));
    EXPECT_EQ(mixed.drift->measuredOn, metrics::kDecodedClips);
}

TEST_F(KeptFramesTest, AreNotHeldToAnEncodedClip) {
    // Noise, of which encoding loses much: as far from its kept frames as another backend's might be.
    media::RgbVideo noise = greys(48, 60);
    std::uint32_t state = 7;
    for (std::uint8_t& code : noise.pixels) code = std::uint8_t((state = state * 1664525 + 1013904223) >> 24);
    const auto reference = writeKept("sdpa.mp4", noise), clip = writeKept("sagev1.mp4", noise);
    std::string bytes = readFile(framesOf(clip)).value();
    bytes[bytes.size() / 2] ^= 1;
    ASSERT_TRUE(writeFile(framesOf(clip), bytes));
    for (const auto& [of, from] : {std::pair{clip, reference}, {reference, clip}}) {
        metrics::ClipMetrics known;
        ASSERT_TRUE(ClipMeasurer(from).complete(of, known));
        EXPECT_EQ(known.drift->measuredOn, metrics::kDecodedClips);
        EXPECT_EQ(known.drift->psnr->mean, 100) << "the two clips are one";
    }
}

TEST_F(KeptFramesTest, AreReadOfBothClipsOfAPairOrOfNeither) {
    const auto one = writeKept("sdpa.mp4", greys(48, 60)), other = writeKept("fav2.mp4", greys(48, 80));
    const ComparedPair both = comparedPair(one, other);
    EXPECT_EQ(both.clip, framesOf(one));
    EXPECT_EQ(both.reference, framesOf(other));
    EXPECT_TRUE(both.isLossless);
    EXPECT_EQ(both.remark, "");
    // As anyone passes a clip on.
    const auto bare = m_folder.path() / "bare.mp4", second = m_folder.path() / "second.mp4";
    for (const auto& copy : {bare, second}) std::filesystem::copy_file(other, copy);
    for (const auto& [clip, reference] : {std::pair{one, bare}, {bare, one}}) {
        const ComparedPair mixed = comparedPair(clip, reference);
        EXPECT_EQ(mixed.clip, clip);
        EXPECT_EQ(mixed.reference, reference);
        EXPECT_FALSE(mixed.isLossless);
        EXPECT_EQ(mixed.remark, one.string() + ": the encoded clip is measured, not its kept frames: " +
                                    bare.string() + " has none");
    }
    EXPECT_EQ(comparedPair(bare, second).remark, "");
}

TEST_F(KeptFramesTest, AreLeftAloneWhereTheyArentTheClips) {
    const auto clip = writeKept("fav2.mp4", greys(48, 80));
    EXPECT_EQ(comparedFrames(clip).file, framesOf(clip));
    EXPECT_TRUE(comparedFrames(clip).isLossless);
    EXPECT_EQ(comparedFrames(clip).remark, "");

    std::string bytes = readFile(framesOf(clip)).value();
    const std::string whole = bytes;
    bytes[bytes.size() / 2] = char(bytes[bytes.size() / 2] ^ 1);
    const auto remarkWith = [&](const std::string& contents) {
        EXPECT_TRUE(writeFile(framesOf(clip), contents));
        const ComparedFrames found = comparedFrames(clip);
        EXPECT_EQ(found.file, clip);
        EXPECT_FALSE(found.isLossless);
        return found.remark;
    };
    EXPECT_THAT(remarkWith(bytes),
                testing::HasSubstr("frames.mkv: it is damaged; the encoded clip is shown"));
    EXPECT_THAT(remarkWith(whole.substr(0, 100)),
                testing::HasSubstr("it has 100 bytes, " + std::to_string(whole.size()) + " were needed"));
    std::filesystem::remove(framesOf(clip));
    EXPECT_THAT(comparedFrames(clip).remark, testing::HasSubstr("frames.mkv: no such file; the encoded"));
    std::filesystem::create_symlink("frames.mkv", framesOf(clip));
    EXPECT_THAT(comparedFrames(clip).remark, testing::HasSubstr("frames.mkv: Too many levels"));
    std::filesystem::remove(framesOf(clip));

    ASSERT_TRUE(writeFile(framesOf(clip), whole));
    EXPECT_TRUE(comparedFrames(clip).isLossless);
    write("fav2.mp4", greys(48, 20));
    EXPECT_THAT(comparedFrames(clip).remark, testing::HasSubstr("it is of another clip"));
}

TEST_F(KeptFramesTest, AreNotPassedOverInSilenceWhereTheManifestCannotBeRead) {
    const auto clip = writeKept("fav2.mp4", greys(48, 80));
    const auto manifest = protocol::resultFolderOf(clip) / protocol::kManifestFile;
    for (const char* damaged : {"{\"request\":", R"({"kept_frames":{"bytes":"many"}})"}) {
        ASSERT_TRUE(writeFile(manifest, damaged));
        EXPECT_EQ(comparedFrames(clip).file, clip);
        EXPECT_THAT(comparedFrames(clip).remark,
                    testing::AllOf(testing::HasSubstr(manifest.string()),
                                   testing::HasSubstr("the encoded clip is shown and measured instead")))
            << damaged;
    }
    std::filesystem::remove_all(manifest.parent_path());
    std::filesystem::create_symlink("fav2.files", manifest.parent_path());  // can't be read, by root either
    EXPECT_THAT(comparedFrames(clip).remark, testing::HasSubstr("manifest.json: Too many levels"));
    std::filesystem::remove(manifest.parent_path());
    EXPECT_EQ(comparedFrames(clip).remark, "") << "none were kept";
}

TEST_F(KeptFramesTest, GoWithTheClipThatReplacesTheirs) {
    const auto clip = writeKept("fav2.mp4", greys(48, 80));
    auto pending = result::PendingResult::create(clip);
    ASSERT_TRUE(pending);
    ASSERT_TRUE(media::writeClip(pending->clip(), greys(48, 20)));
    std::ofstream(pending->latents()) << "latents";
    ASSERT_TRUE(pending->commit({}, {}, {}));
    EXPECT_FALSE(std::filesystem::exists(framesOf(clip)));
}

}  // namespace
}  // namespace reelgrid::comparison
