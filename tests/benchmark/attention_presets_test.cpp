#include "core/benchmark/attention_presets.h"

#include <gmock/gmock.h>

#include <set>

namespace reelgrid::benchmark {
namespace {

using testing::HasSubstr;

TEST(AttentionPresets, EachHasAShapeAndANameOfItsOwn) {
    std::set<std::string_view> names;
    for (const AttentionPreset& preset : attentionPresets()) {
        EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
        const auto shape = shapeNamed(std::string(preset.name));
        ASSERT_TRUE(shape) << preset.name;
        EXPECT_EQ(textOf(*shape), preset.shape);
        EXPECT_FALSE(preset.origin.empty()) << preset.name;
    }
}

TEST(AttentionPresets, AreTheModelsOwnShapes) {
    const auto text = [](const char* name) { return textOf(shapeNamed(name).value()); };
    EXPECT_EQ(text("wan-1.3b-480p"), "1,12,32760,128");
    EXPECT_EQ(text("wan-14b-480p"), "1,40,32760,128");
    EXPECT_EQ(text("wan-14b-720p"), "1,40,75600,128");
    EXPECT_EQ(text("cogvideox-2b"), "1,30,17776,64");
    EXPECT_EQ(text("cogvideox-5b"), "1,48,17776,64");
    EXPECT_EQ(text("svd-576p"), "25,5,9216,64");
}

TEST(AttentionPresets, LeaveShapesInNumbersAlone) {
    EXPECT_EQ(textOf(shapeNamed("1,2,3,4").value()), "1,2,3,4");
    EXPECT_THAT(shapeNamed("1,2,3").error().message, HasSubstr("--shape 1,2,3: B,H,N,D or B,H,N,D,Nk"));
}

TEST(AttentionPresets, AnUnknownNameIsAnsweredWithThoseThatAre) {
    const auto shape = shapeNamed("wan-3b");
    ASSERT_FALSE(shape);
    EXPECT_EQ(shape.error().code, ErrorCode::BadUsage);
    EXPECT_THAT(shape.error().message, HasSubstr("--shape wan-3b: B,H,N,D[,Nk] or one of wan-1.3b-480p, "));
    EXPECT_EQ(findPreset("wan-3b"), nullptr);
}

}  // namespace
}  // namespace reelgrid::benchmark
