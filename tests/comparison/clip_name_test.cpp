#include "core/comparison/clip_name.h"

#include <gtest/gtest.h>

namespace reelgrid::comparison {
namespace {

constexpr const char* kAsRunWan = "wan_result_t2v_ulysses1_ringNone_compileFalse_attn_sagev1_144x256.mp4";

TEST(ClipName, IsWhatRunWanGives) {
    catalog::RenderSettings settings;
    settings.task = "t2v";
    settings.attentionType = "sagev1";
    settings.height = 144;
    settings.width = 256;
    EXPECT_EQ(clipName("wan2.1", settings), kAsRunWan);
}

TEST(ClipName, OfARequestIsTheSame) {
    protocol::RenderRequest request;
    request.attentionType = "sagev1";
    request.height = 144;
    request.width = 256;
    EXPECT_EQ(clipName("wan2.1", request), kAsRunWan);
}

}  // namespace
}  // namespace reelgrid::comparison
