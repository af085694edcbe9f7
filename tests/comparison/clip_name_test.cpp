#include "core/comparison/clip_name.h"

#include <gtest/gtest.h>

namespace reelgrid::comparison {
namespace {

constexpr const char* kAsRunWan = "wan_result_t2v_ulysses1_ringNone_compileFalse_attn_sagev1_144x256.mp4";

families::ModelInfo wan() {
    families::ModelInfo model;
    model.family = "wan2.1";
    return model;
}

TEST(ClipName, IsWhatRunWanGives) {
    catalog::RenderSettings settings;
    settings.task = "t2v";
    settings.attentionType = "sagev1";
    settings.height = 144;
    settings.width = 256;
    EXPECT_EQ(clipName(wan(), settings), kAsRunWan);
}

TEST(ClipName, SaysHowManyRanksSharedTheRender) {
    catalog::RenderSettings settings;
    settings.task = "i2v";
    settings.attentionType = "fav3_sage";
    settings.height = 720;
    settings.width = 1280;
    settings.ulyssesDegree = 8;
    EXPECT_EQ(clipName(wan(), settings),
              "wan_result_i2v_ulysses8_ringNone_compileFalse_attn_fav3_sage_720x1280.mp4");
    settings.ringDegree = 1;
    EXPECT_EQ(clipName(wan(), settings),
              "wan_result_i2v_ulysses8_ring1_compileFalse_attn_fav3_sage_720x1280.mp4");
}

TEST(ClipName, OfARequestIsTheSame) {
    protocol::RenderRequest request;
    request.attentionType = "sagev1";
    request.height = 144;
    request.width = 256;
    EXPECT_EQ(clipName(wan(), request), kAsRunWan);
}

TEST(ClipName, OfAFamilyWithAPrefixIsThatAndTheAttentionType) {
    families::ModelInfo model;
    model.family = "cogvideox";
    model.clipPrefix = "cogvideox-2b";
    catalog::RenderSettings settings;
    settings.attentionType = "fav3_sage";
    EXPECT_EQ(clipName(model, settings), "cogvideox-2b_fav3_sage.mp4");
}

}  // namespace
}  // namespace reelgrid::comparison
