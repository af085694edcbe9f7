#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/result.h"
#include "core/vae/cogvideox/cogvideox_vae_config.h"

namespace reelgrid::vae::cogvideox {
namespace {

using nlohmann::json;
using testing::HasSubstr;

CogVideoXVaeConfig read(const json& content) {
    return CogVideoXVaeConfig::from(weights::ModelConfig(content, "config.json"));
}

Error errorWith(const std::string& key, const json& value) {
    json content = {{"_class_name", "AutoencoderKLCogVideoX"}};
    content[key] = value;
    try {
        (void)read(content);
    } catch (const Failure& failure) {
        return failure.error();
    }
    return {ErrorCode::Internal, "nothing was thrown"};
}

TEST(CogVideoXVaeConfig, IsTheOfficialOneWhereTheFileIsSilent) {
    const CogVideoXVaeConfig config = read({{"_class_name", "AutoencoderKLCogVideoX"}});
    EXPECT_EQ(config.spatialFactor(), 8);
    EXPECT_EQ(config.temporalFactor(), 4);
    EXPECT_EQ(config.zDim, 16);
    EXPECT_DOUBLE_EQ(config.scalingFactor, 1.15258426);
    EXPECT_FALSE(config.invertScaleLatents);
}

TEST(CogVideoXVaeConfig, ReadsWhatTheFileSays) {
    const CogVideoXVaeConfig config = read({{"block_out_channels", {32, 64}},
                                            {"latent_channels", 4},
                                            {"layers_per_block", 1},
                                            {"norm_num_groups", 16},
                                            {"temporal_compression_ratio", 2.0},
                                            {"scaling_factor", 0.7},
                                            {"invert_scale_latents", true},
                                            {"down_block_types", {"CogVideoXDownBlock3D"}},
                                            {"latents_mean", nullptr}});
    EXPECT_EQ(config.spatialFactor(), 2);
    EXPECT_EQ(config.temporalFactor(), 2);
    EXPECT_EQ(config.layersPerBlock, 1);
    EXPECT_DOUBLE_EQ(config.scalingFactor, 0.7);
    EXPECT_TRUE(config.invertScaleLatents);
}

TEST(CogVideoXVaeConfig, CountsFramesAsTheyAreDecoded) {
    const CogVideoXVaeConfig config = CogVideoXVaeConfig::official();
    EXPECT_EQ(config.frameCount(1), 1);
    EXPECT_EQ(config.frameCount(2), 8);
    EXPECT_EQ(config.frameCount(9), 33);
    EXPECT_EQ(config.frameCount(13), 49);
    EXPECT_EQ(config.frameCount(20), 80);
}

TEST(CogVideoXVaeConfig, TilesAsDiffusersDoes) {
    const CogVideoXVaeConfig config = CogVideoXVaeConfig::official();
    EXPECT_EQ(config.tiling().rows, (TileAxis{240, 200}));
    EXPECT_EQ(config.tiling().columns, (TileAxis{360, 288}));
    EXPECT_EQ(config.tilingOf(64).rows, (TileAxis{64, 48}));
    EXPECT_EQ(config.tilingOf(64).columns, (TileAxis{96, 72}));
    EXPECT_EQ(config.tilingOf(8).columns, (TileAxis{8, 8}));
}

TEST(CogVideoXVaeConfig, NamesAModelThatIsNotBuilt) {
    const Error activation = errorWith("act_fn", "relu");
    EXPECT_EQ(activation.code, ErrorCode::Unsupported);
    EXPECT_THAT(activation.message, HasSubstr("act_fn is \"relu\", this version needs \"silu\""));
    EXPECT_EQ(errorWith("use_quant_conv", true).code, ErrorCode::Unsupported);
    EXPECT_EQ(errorWith("use_post_quant_conv", true).code, ErrorCode::Unsupported);
    EXPECT_EQ(errorWith("in_channels", 4).code, ErrorCode::Unsupported);
    EXPECT_EQ(errorWith("_class_name", "AutoencoderKLWan").code, ErrorCode::Unsupported);
}

TEST(CogVideoXVaeConfig, NamesAValueThatMakesNoModel) {
    const Error channels = errorWith("block_out_channels", {128, 200});
    EXPECT_EQ(channels.code, ErrorCode::InvalidData);
    EXPECT_THAT(channels.message, HasSubstr("multiples of norm_num_groups (32)"));
    EXPECT_EQ(errorWith("block_out_channels", json::array()).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("block_out_channels", {1 << 20}).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("norm_num_groups", 0).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("temporal_compression_ratio", 3).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("temporal_compression_ratio", 16).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("norm_eps", 0).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("scaling_factor", -1).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("sample_height", 0).code, ErrorCode::InvalidData);
}

}  // namespace
}  // namespace reelgrid::vae::cogvideox
