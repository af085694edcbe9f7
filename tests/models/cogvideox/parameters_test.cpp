#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "core/base/result.h"
#include "core/models/cogvideox/transformer.h"
#include "core/weights/model_config.h"

namespace reelgrid::models::cogvideox {
namespace {

using nlohmann::json;
using Parameters = std::map<std::string, std::vector<std::int64_t>>;

class OfficialCogVideoX : public testing::TestWithParam<std::string> {};

TEST_P(OfficialCogVideoX, HasTheReferencesNamesAndShapes) {
    std::ifstream file(REELGRID_SOURCE_DIR "/tests/fixtures/cogvideox/official_parameters.json");
    const json reference = json::parse(file).at(GetParam());
    const auto config =
        CogVideoXTransformerConfig::from(weights::ModelConfig(reference.at("config"), GetParam()));

    Parameters expected = reference.at("rest").get<Parameters>();
    for (std::int64_t layer = 0; layer < config.numLayers; ++layer)
        for (const auto& [name, shape] : reference.at("block").items())
            expected["transformer_blocks." + std::to_string(layer) + "." + name] =
                shape.get<std::vector<std::int64_t>>();

    weights::RecordingWeights recording([&](const std::string& name) { return expected.contains(name); });
    const CogVideoXTransformer model(config, weights::WeightScope(recording, at::kBFloat16));
    const Parameters asked(recording.requests().begin(), recording.requests().end());
    EXPECT_EQ(asked.size(), recording.requests().size()) << "a parameter was asked for twice";
    EXPECT_EQ(asked, expected);
}

INSTANTIATE_TEST_SUITE_P(Published, OfficialCogVideoX,
                         testing::Values("2b", "5b", "5b-i2v", "1.5-5b", "1.5-5b-i2v"),
                         [](const auto& testCase) {
                             std::string name = "of_" + testCase.param;
                             for (char& letter : name)
                                 if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
                             return name;
                         });

TEST(CogVideoXConfig, RejectsWhatItCannotDoNamingTheKey) {
    for (const json& change :
         {json{{"attention_bias", false}}, json{{"norm_elementwise_affine", false}}, json{{"freq_shift", 1}},
          json{{"activation_fn", "geglu"}}, json{{"patch_bias", false}}, json{{"attention_head_dim", 24}},
          json{{"ofs_embed_dim", 100}}, json{{"num_layers", 0}}, json{{"spatial_interpolation_scale", 0}},
          json{{"use_learned_positional_embeddings", true}}}) {
        try {
            (void)CogVideoXTransformerConfig::from(weights::ModelConfig(change, "config.json"));
            ADD_FAILURE() << change << " was accepted";
        } catch (const Failure& failure) {
            EXPECT_THAT(failure.error().message, testing::HasSubstr("config.json: " + change.begin().key()));
        }
    }
}

}  // namespace
}  // namespace reelgrid::models::cogvideox
