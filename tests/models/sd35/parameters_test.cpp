#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "core/base/result.h"
#include "core/models/sd35/transformer.h"
#include "core/weights/model_config.h"

namespace reelgrid::models::sd35 {
namespace {

using nlohmann::json;
using Parameters = std::map<std::string, std::vector<std::int64_t>>;

class OfficialSd35 : public testing::TestWithParam<std::string> {
  protected:
    OfficialSd35() {
        std::ifstream file(REELGRID_SOURCE_DIR "/tests/fixtures/sd35/official_parameters.json");
        m_reference = json::parse(file).at(GetParam());
    }
    [[nodiscard]] Sd35TransformerConfig config() const {
        return Sd35TransformerConfig::from(weights::ModelConfig(m_reference.at("config"), GetParam()));
    }
    json m_reference;
};

TEST_P(OfficialSd35, HasTheReferencesNamesAndShapes) {
    weights::RecordingWeights recording;
    const Sd35Transformer model(config(), weights::WeightScope(recording, at::kBFloat16));
    const Parameters asked(recording.requests().begin(), recording.requests().end());
    EXPECT_EQ(asked.size(), recording.requests().size()) << "a parameter was asked for twice";
    EXPECT_EQ(asked.size(), m_reference.at("count").get<std::size_t>());
    for (const auto& [name, shape] : m_reference.at("parameters").items()) {
        const auto found = asked.find(name);
        ASSERT_NE(found, asked.end()) << name;
        EXPECT_EQ(found->second, shape.get<std::vector<std::int64_t>>()) << name;
    }
}

TEST_P(OfficialSd35, CountsItsWeights) {
    // All parameters but the positions' table, which stays in its file, in 2 bytes each.
    weights::RecordingWeights recording;
    const Sd35Transformer model(config(), weights::WeightScope(recording, at::kBFloat16));
    std::int64_t values = 0;
    for (const auto& [name, shape] : recording.requests())
        if (name != "pos_embed.pos_embed") values += c10::multiply_integers(shape);
    const auto bytes = [&](BlockResidence residence) {
        return double(
            Sd35Transformer::weightBytes(config(), at::kBFloat16, at::kCPU, {.residence = residence}));
    };
    EXPECT_NEAR(bytes(BlockResidence::Held) / double(2 * values), 1, 0.001);
    EXPECT_LT(bytes(BlockResidence::Windowed), 0.35 * bytes(BlockResidence::Held));
    EXPECT_LT(bytes(BlockResidence::Streamed), bytes(BlockResidence::Windowed));
}

INSTANTIATE_TEST_SUITE_P(Published, OfficialSd35, testing::Values("medium", "large"));

TEST(Sd35Config, RejectsWhatItCannotDoNamingTheKey) {
    for (const json& change :
         {json{{"qk_norm", "layer_norm"}}, json{{"caption_projection_dim", 1000}}, json{{"num_layers", 0}},
          json{{"dual_attention_layers", {0, 18}}}, json{{"attention_head_dim", 1}},
          json{{"pos_embed_max_size", 100000}}, json{{"patch_size", -2}}}) {
        try {
            (void)Sd35TransformerConfig::from(weights::ModelConfig(change, "config.json"));
            ADD_FAILURE() << change << " was accepted";
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, testing::HasSubstr("config.json: " + change.begin().key()));
        }
    }
}

TEST(Sd35Config, RejectsATemporalModuleOfAnotherWidthNamingBoth) {
    Sd35TransformerConfig medium;
    medium.numLayers = 24;
    medium.numAttentionHeads = 24;
    const weights::ModelConfig module(
        {{"num_layers", 24}, {"num_attention_heads", 8}, {"attention_head_dim", 40}}, "module/config.json");
    try {
        (void)TemporalConfig::fitting(medium, module);
        ADD_FAILURE() << "it was accepted";
    } catch (const Failure& failure) {
        EXPECT_THAT(failure.error().message,
                    testing::AllOf(testing::HasSubstr("module/config.json"), testing::HasSubstr("320"),
                                   testing::HasSubstr("1536")));
    }
}

}  // namespace
}  // namespace reelgrid::models::sd35
