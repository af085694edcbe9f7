#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/result.h"
#include "core/vae/wan21/wan_vae_config.h"

namespace reelgrid::vae::wan21 {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json wan21() {
    return {{"_class_name", "AutoencoderKLWan"},
            {"base_dim", 96},
            {"z_dim", 4},
            {"dim_mult", {1, 2, 4, 4}},
            {"num_res_blocks", 2},
            {"attn_scales", json::array()},
            {"temperal_downsample", {false, true, true}},
            {"latents_mean", {0.5, 0, 0, 0}},
            {"latents_std", {1, 2, 1, 1}}};
}

WanVaeConfig read(const json& content) {
    return WanVaeConfig::from(weights::ModelConfig(content, "config.json"));
}

Error errorWith(const std::string& key, const json& value) {
    json content = wan21();
    content[key] = value;
    try {
        (void)read(content);
    } catch (const Failure& failure) {
        return failure.error();
    }
    return {ErrorCode::Internal, "nothing was thrown"};
}

TEST(WanVaeConfig, ReadsWhatTheFileSays) {
    json content = wan21();
    content["decoder_base_dim"] = 128;
    const WanVaeConfig config = read(content);
    EXPECT_EQ(config.decoderBaseDim, 128);
    EXPECT_EQ(config.spatialFactor(), 8);
    EXPECT_EQ(config.temporalFactor(), 4);
    EXPECT_THAT(config.latentsMean, testing::ElementsAre(0.5, 0, 0, 0));
}

TEST(WanVaeConfig, TakesTheDecodersWidthFromTheEncoderWhereItIsNull) {
    json content = wan21();
    content["base_dim"] = 24;
    content["decoder_base_dim"] = nullptr;
    EXPECT_EQ(read(content).decoderBaseDim, 24);
}

TEST(WanVaeConfig, NamesAModelThatIsNotBuilt) {
    const Error channels = errorWith("patch_size", 2);
    EXPECT_EQ(channels.code, ErrorCode::Unsupported);
    EXPECT_THAT(channels.message, HasSubstr("in_channels is missing, this version needs 12"));
    EXPECT_EQ(errorWith("attn_scales", {0.5}).code, ErrorCode::Unsupported);
    EXPECT_EQ(errorWith("in_channels", 12).code, ErrorCode::Unsupported);
    EXPECT_EQ(errorWith("_class_name", "AutoencoderKL").code, ErrorCode::Unsupported);
}

TEST(WanVaeConfig, NamesAValueThatMakesNoModel) {
    const Error base = errorWith("base_dim", 0);
    EXPECT_EQ(base.code, ErrorCode::InvalidData);
    EXPECT_THAT(base.message, HasSubstr("base_dim is 0"));
    EXPECT_EQ(errorWith("base_dim", 1 << 20).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("dim_mult", {1, 2}).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("dim_mult", json::array()).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("dim_mult", {1, -2, 4, 4}).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("dim_mult", {1, 2, 4, 1000000}).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("temperal_downsample", {true}).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("latents_mean", {1, 2}).code, ErrorCode::InvalidData);
    EXPECT_EQ(errorWith("latents_std", {1, 0, 1, 1}).code, ErrorCode::InvalidData);
}

}  // namespace
}  // namespace reelgrid::vae::wan21
