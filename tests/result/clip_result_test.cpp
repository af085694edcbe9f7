#include "core/result/clip_result.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cmath>

#include "core/base/sha256.h"
#include "tests/session/session_folder.h"

namespace reelgrid::result {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ClipResult, OfAClipWithoutCompanionsAreAbsent) {
    const session::SessionFolder folder;
    const ClipResult read = readClipResult(folder.path() / "a.mp4");
    EXPECT_TRUE(read.timings.empty());
    EXPECT_FALSE(read.metrics.frameCorrelation);
    EXPECT_FALSE(read.metrics.flickering);
    EXPECT_FALSE(read.metrics.drift);
    EXPECT_TRUE(read.problems.empty());
    EXPECT_EQ(read.manifest.usedAttention(), "");
}

TEST(ClipResult, ReadEveryCompanion) {
    const session::SessionFolder folder;
    folder.write("a.files/timing.json",
                 R"([{"pipe_time":9.5,"vae_decode_time":3.5,"steps":[0.5,0.25],
                      "stages":{"decode":3.5,"encode":0.1,"text":0.2,"denoise":5.75,"upscale":1}}])");
    folder.write("a.files/metrics.json",
                 R"({"frames":3,"frame_correlation":{"mean":0.9,"per_frame":[0.8,null]},"flickering":0.95,
                     "drift":{"reference":"sdpa","measured_on":"decoded clips","psnr":{"mean":30,"per_frame":[29,31,30]},
                              "ssim":{"mean":0.9,"per_frame":[0.9,0.9,0.9]}}})");
    folder.write("a.files/manifest.json",
                 R"({"request":{"prompt":"a car","attention_type":"sagev1"},"frames_sha256":"abc",
                     "attention":[{"module":"self","requested":"sagev1","used":"sagev1","why":"","calls":320,"seconds":2.5},
                                  {"module":"self","requested":"sagev1","used":"sdpa","why":"head dim 512","calls":1},
                                  {"module":"cross","requested":"sdpa","used":"sdpa","why":"","calls":320}]})");
    const ClipResult read = readClipResult(folder.path() / "a.mp4");
    ASSERT_TRUE(read.problems.empty()) << read.problems[0].message;
    ASSERT_EQ(read.timings.size(), 1u);
    EXPECT_EQ(read.timings[0].pipeTime, 9.5);
    EXPECT_THAT(read.timings[0].steps, ElementsAre(0.5, 0.25));
    std::vector<std::string> order;
    for (const auto& [name, seconds] : read.timings[0].stages) order.push_back(name);
    EXPECT_THAT(order, ElementsAre("text", "denoise", "decode", "encode", "upscale"));
    EXPECT_EQ(read.timings[0].stage("denoise"), 5.75);
    EXPECT_FALSE(read.timings[0].stage("load"));
    ASSERT_TRUE(read.metrics.frameCorrelation);
    EXPECT_EQ(read.metrics.frameCorrelation->perFrame[0], 0.8);
    EXPECT_TRUE(std::isnan(read.metrics.frameCorrelation->perFrame[1]));
    EXPECT_EQ(read.metrics.flickering->mean, 0.95);
    EXPECT_TRUE(read.metrics.flickering->perFrame.empty());
    ASSERT_TRUE(read.metrics.drift);
    EXPECT_EQ(read.metrics.drift->reference, "sdpa");
    EXPECT_EQ(read.metrics.drift->measuredOn, "decoded clips");
    EXPECT_EQ(read.metrics.drift->psnr->mean, 30);
    ASSERT_EQ(read.manifest.attention.size(), 3u);
    EXPECT_EQ(read.manifest.attention[1].why, "head dim 512");
    EXPECT_FALSE(read.manifest.attention[1].seconds);
    EXPECT_EQ(read.manifest.usedAttention(), "sagev1+sdpa");
    EXPECT_EQ(read.manifest.request->attentionType, "sagev1");
    EXPECT_EQ(read.manifest.framesSha256, "abc");
}

TEST(ClipResult, OfAnotherClipCountsForNothing) {
    const session::SessionFolder folder;
    const auto clip = folder.write("a.mp4", "pictures");
    folder.write("a.files/timing.json", R"([{"pipe_time":9.5}])");
    folder.write("a.files/metrics.json", R"({"frames":3})");
    folder.write("a.files/manifest.json", R"({"clip_sha256":")" + sha256OfFile(clip).value() + R"("})");
    EXPECT_EQ(readResultOfFile(clip).metrics.frames, 3);
    EXPECT_FALSE(readResultOfFile(clip).isOfAnotherClip);
    folder.write("a.mp4", "Pictures");
    const ClipResult read = readResultOfFile(clip);
    EXPECT_TRUE(read.isOfAnotherClip);
    EXPECT_EQ(read.metrics.frames, 0);
    EXPECT_TRUE(read.timings.empty());
    ASSERT_EQ(read.problems.size(), 1u);
    EXPECT_THAT(read.problems[0].message, HasSubstr("it is about another clip than " + clip.string()));
    // One that says nothing of its clip, as other tools write them, counts.
    folder.write("a.files/manifest.json", "{}");
    EXPECT_EQ(readResultOfFile(clip).metrics.frames, 3);
}

TEST(ClipResult, OfAnotherRendersTimesHasNone) {
    const session::SessionFolder folder;
    const auto clip = folder.write("a.mp4", "pictures");
    const auto times = folder.write("a.files/timing.json", R"([{"pipe_time":9.5}])");
    folder.write("a.files/metrics.json", R"({"frames":3})");
    folder.write("a.files/manifest.json", R"({"timing_sha256":")" + sha256OfFile(times).value() + R"("})");
    EXPECT_EQ(readResultOfFile(clip).timings.size(), 1u);
    folder.write("a.files/timing.json", R"([{"pipe_time":0.5}])");
    const ClipResult read = readResultOfFile(clip);
    EXPECT_TRUE(read.timings.empty());
    EXPECT_EQ(read.metrics.frames, 3);
    ASSERT_EQ(read.problems.size(), 1u);
    EXPECT_THAT(read.problems[0].message, HasSubstr("its timing.json is not the one"));
}

TEST(ClipResult, OfAnotherClipsFiguresHasNone) {
    const session::SessionFolder folder;
    const auto clip = folder.write("a.mp4", "pictures");
    const std::string own = sha256OfFile(clip).value();
    folder.write("a.files/timing.json", R"([{"pipe_time":9.5}])");
    folder.write("a.files/manifest.json", R"({"clip_sha256":")" + own + R"("})");
    folder.write("a.files/metrics.json", R"({"frames":3,"clip_sha256":")" + own + R"("})");
    EXPECT_EQ(readClipResult(clip).metrics.frames, 3);
    folder.write("a.files/metrics.json", R"({"frames":3,"clip_sha256":"5d"})");
    for (const ClipResult& read : {readClipResult(clip), readResultOfFile(clip)}) {
        EXPECT_EQ(read.metrics.frames, 0);
        EXPECT_EQ(read.timings.size(), 1u);
        ASSERT_EQ(read.problems.size(), 1u);
        EXPECT_THAT(read.problems[0].message, HasSubstr("metrics.json: it is of another clip"));
    }
}

TEST(ClipResult, APipeInTheirPlaceIsOneProblemAndNotWaitedFor) {
    const session::SessionFolder folder;
    const auto clip = folder.write("a.mp4", "pictures");
    folder.write("a.files/manifest.json", R"({"timing_sha256":")" + std::string(64, 'a') + R"("})");
    ASSERT_EQ(mkfifo((folder.path() / "a.files/timing.json").c_str(), 0600), 0);
    const ClipResult read = readResultOfFile(clip);
    ASSERT_EQ(read.problems.size(), 1u);
    EXPECT_THAT(read.problems[0].message, HasSubstr("timing.json: not a regular file"));
}

TEST(ClipResult, AFolderThatCannotBeReadIsNotTakenForAbsent) {
    const session::SessionFolder folder;
    std::filesystem::create_symlink("a.files", folder.path() / "a.files");
    const ClipResult read = readClipResult(folder.path() / "a.mp4");
    ASSERT_EQ(read.problems.size(), 3u) << "timing, metrics and manifest";
    EXPECT_THAT(read.problems[2].message, HasSubstr("manifest.json: Too many levels"));
}

TEST(ClipResult, TakeTheReferenceScriptsPlainTiming) {
    const session::SessionFolder folder;
    folder.write("a.files/timing.json", R"([{"pipe_time":9.5,"vae_decode_time":3.5}])");
    const ClipResult read = readClipResult(folder.path() / "a.mp4");
    ASSERT_EQ(read.timings.size(), 1u);
    EXPECT_EQ(read.timings[0].vaeDecodeTime, 3.5);
    EXPECT_TRUE(read.timings[0].stages.empty());
}

TEST(ClipResult, OneBrokenCompanionDoesNotHideTheOthers) {
    const session::SessionFolder folder;
    folder.write("a.files/timing.json", R"({"pipe_time":9.5})");
    folder.write("a.files/metrics.json", R"({"frame_correlation":{"mean":"high"}})");
    folder.write("a.files/manifest.json",
                 R"({"attention":[{"module":"self","requested":"fav2","used":"fav2"}]})");
    const ClipResult read = readClipResult(folder.path() / "a.mp4");
    ASSERT_EQ(read.problems.size(), 2u);
    EXPECT_THAT(read.problems[0].message, HasSubstr("timing.json"));
    EXPECT_THAT(read.problems[1].message, HasSubstr("mean \"high\""));
    EXPECT_EQ(read.manifest.usedAttention(), "fav2");
}

}  // namespace
}  // namespace reelgrid::result
