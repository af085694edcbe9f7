#include "core/models/wan/config.h"

#include <gmock/gmock.h>

#include "core/base/result.h"
#include "core/weights/model_config.h"

namespace reelgrid::models::wan {
namespace {

using nlohmann::json;

TEST(WanTransformerConfig, DefaultsAreTheReferences) {
    const auto config = WanTransformerConfig::from(weights::ModelConfig(json::object(), "config.json"));
    EXPECT_EQ(config.innerDim(), 5120);
    EXPECT_EQ(config.ffnDim, 13824);
    EXPECT_EQ(config.textDim, 4096);
    EXPECT_EQ(config.patchVolume(), 4);
}

TEST(WanTransformerConfig, TakesEitherNameOfTheNormAsTheReferenceDoes) {
    for (const char* norm : {"rms_norm", "rms_norm_across_heads"})
        (void)WanTransformerConfig::from(weights::ModelConfig(json{{"qk_norm", norm}}, "config.json"));
}

TEST(WanTransformerConfig, RejectsWhatItCannotBuildNamingKeyAndValue) {
    const std::vector<std::pair<json, std::string>> cases{
        {{{"added_kv_proj_dim", 5120}}, "added_kv_proj_dim is 5120"},
        {{{"pos_embed_seq_len", 514}}, "pos_embed_seq_len is 514"},
        {{{"image_dim", 1280}}, "image_dim is 1280"},
        {{{"image_dim", 1280}, {"added_kv_proj_dim", 1280}}, "added_kv_proj_dim is 1280"},
        {{{"qk_norm", "layer_norm"}}, "qk_norm is \"layer_norm\""},
        {{{"patch_size", {1, 2}}}, "patch_size is [1,2]"},
        {{{"patch_size", {1, 0, 2}}}, "patch_size is [1,0,2]"},
        {{{"num_layers", 0}}, "num_layers is 0"},
        {{{"num_layers", 1000000}}, "num_layers is 1000000"},
        {{{"attention_head_dim", 127}}, "attention_head_dim is 127"},
        {{{"freq_dim", 3}}, "freq_dim is 3"},
        {{{"eps", 0.0}}, "eps is 0.0"},
        {{{"_class_name", "WanVACETransformer3DModel"}}, "_class_name is \"WanVACETransformer3DModel\""},
        {{{"quantization_config", {{"quant_method", "bitsandbytes"}}}}, "quantization_config is {"},
    };
    for (const auto& [content, message] : cases) {
        try {
            (void)WanTransformerConfig::from(weights::ModelConfig(content, "config.json"));
            ADD_FAILURE() << content << " was accepted";
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, testing::HasSubstr(message));
        }
    }
}

}  // namespace
}  // namespace reelgrid::models::wan
