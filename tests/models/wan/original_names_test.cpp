#include "core/models/wan/original_names.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/base/pending_file.h"
#include "core/models/wan/lora_names.h"
#include "core/text/encoders/umt5_original.h"

namespace reelgrid::models::wan {
namespace {

/// Recorded with diffusers' conversion of Wan's own model, and with transformers' umT5: {its name: their
/// name}.
std::map<std::string, std::string> recordedNames(const std::string& part) {
    return nlohmann::json::parse(
        readFile(REELGRID_SOURCE_DIR "/tests/fixtures/wan/original_names.json").value())[part];
}

TEST(OriginalNames, AreThoseThatDiffusersConverts) {
    const auto recorded = recordedNames("transformer");
    EXPECT_EQ(recorded.size(), 88U);
    for (const auto& [original, diffusers] : recorded)
        EXPECT_EQ(originalTransformerName(diffusers), original);
}

TEST(OriginalNames, OfTheTextEncoderAreThoseThatComputeTheSame) {
    const auto recorded = recordedNames("umt5");
    EXPECT_EQ(recorded.size(), 22U);
    for (const auto& [original, transformers] : recorded)
        EXPECT_EQ(text::originalUmt5Name(transformers), original);
    EXPECT_EQ(text::originalUmt5Name("encoder.embed_tokens.weight"), "token_embedding.weight");
}

TEST(LoraNames, AreDiffusersPeftsWansAndKohyas) {
    EXPECT_THAT(loraNames("blocks.3.attn1.to_out.0"),
                testing::IsSupersetOf(
                    {"transformer.blocks.3.attn1.to_out.0", "blocks.3.attn1.to_out.0",
                     "base_model.model.blocks.3.attn1.to_out.0", "base_model.model.blocks.3.self_attn.o",
                     "diffusion_model.blocks.3.self_attn.o", "lora_unet_blocks_3_self_attn_o",
                     "lora_unet__blocks_3_self_attn_o", "pipe.dit.blocks.3.self_attn.o"}));
    EXPECT_THAT(loraNames("condition_embedder.time_proj"),
                testing::Contains("diffusion_model.time_projection.1"));
}

}  // namespace
}  // namespace reelgrid::models::wan
