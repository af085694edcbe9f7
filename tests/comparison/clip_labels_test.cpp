#include "core/comparison/clip_labels.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "tests/base/failing_readdir.h"

namespace reelgrid::comparison {
namespace {

using testing::HasSubstr;

struct Folder {
    std::filesystem::path path =
        std::filesystem::path(testing::TempDir()) / ("clip_labels_" + std::to_string(getpid()));

    Folder() { std::filesystem::create_directories(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path); }
};

TEST(LabelOf, ReadsBothKindsOfResultNames) {
    EXPECT_EQ(labelOf("out/cogvideox-2b_sagev1.mp4"), "sagev1");
    EXPECT_EQ(labelOf("cogvideox-2b_fav3_fp8.mp4"), "fav3_fp8");
    EXPECT_EQ(labelOf("wan_result_t2v_ulysses1_ring1_compileFalse_attn_sagev1_480x832.mp4"), "sagev1");
    EXPECT_EQ(labelOf("wan_result_i2v_ulysses8_ringNone_compileTrue_attn_fav3_fp8_720x1280.mp4"), "fav3_fp8");
    EXPECT_EQ(labelOf("cogvideox_result_t2v_attn_sla_480x720.mp4"), "sla");
    EXPECT_EQ(labelOf("cogvideox-2b_x_attn_sla_480x720.mp4"), "sla");
}

TEST(LabelOf, TakesAnyOtherNameAsItIs) {
    EXPECT_EQ(labelOf("dir.d/my clip.v2.mp4"), "my clip.v2");
    EXPECT_EQ(labelOf("cogvideox-2b.mp4"), "cogvideox-2b");
    EXPECT_EQ(labelOf("cogvideox-2b_.mp4"), "cogvideox-2b_");
    EXPECT_EQ(labelOf("a_attn_480x832.mp4"), "a_attn_480x832");
    EXPECT_EQ(labelOf("x_attn_sla_480x832.mov"), "x_attn_sla_480x832");
}

TEST(FindClips, MatchesPatternsSortsByNameAndLeavesTheEarlierGridOut) {
    const Folder folder;
    for (const char* name :
         {"cogvideox-2b_b.mp4", "cogvideox-2b_a.mp4", "z_attn_c_1x1.mp4", "other.mp4",
          "cogvideox-2b_grid.mp4", ".z_attn_d_1x1.mp4.partial-1-1.mp4", "z_attn_d_1x1.mp4.partial-552-3.mp4"})
        std::ofstream(folder.path / name) << "x";
    std::filesystem::create_directory(folder.path / "cogvideox-2b_d.mp4");
    const auto clips =
        findClips(folder.path, defaultClipPatterns(), folder.path / "cogvideox-2b_grid.mp4").value();
    std::vector<std::string> labels;
    for (const media::LabelledClip& clip : clips) labels.push_back(clip.label);
    EXPECT_EQ(labels, (std::vector<std::string>{"a", "b", "c"}));

    const std::vector<std::string> none{"*.webm", "?.gif"};
    const auto missing = findClips(folder.path, none);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::NotFound);
    EXPECT_THAT(missing.error().message, HasSubstr("*.webm, ?.gif"));
    EXPECT_EQ(findClips(folder.path / "nowhere", none).error().code, ErrorCode::NotFound);
}

TEST(FindClips, AFolderThatCannotBeReadToItsEndIsAnErrorNotHalfOfItsClips) {
    const Folder folder;
    for (const char* name : {"z_attn_a_1x1.mp4", "z_attn_b_1x1.mp4"})
        std::ofstream(folder.path / name) << "x";
    const FailingReaddir failing(3);
    const auto clips = findClips(folder.path, defaultClipPatterns());
    ASSERT_FALSE(clips);
    EXPECT_EQ(clips.error().message, folder.path.string() + ": Input/output error");
}

TEST(FindClips, LooksForTheNamesOfEveryFamilysClips) {
    EXPECT_THAT(defaultClipPatterns(), testing::ElementsAre("*_attn_*.mp4", "cogvideox-*.mp4",
                                                            "animatediff*.mp4", "sd3.5*.mp4", "svd*.mp4"));
}

}  // namespace
}  // namespace reelgrid::comparison
