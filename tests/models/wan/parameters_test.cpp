#include <gmock/gmock.h>

#include <fstream>
#include <map>

#include "core/models/wan/transformer.h"
#include "core/weights/model_config.h"

namespace reelgrid::models::wan {
namespace {

using nlohmann::json;
using Parameters = std::map<std::string, std::vector<std::int64_t>>;

class OfficialParameters : public testing::TestWithParam<std::string> {};

TEST_P(OfficialParameters, EqualTheReferencesNamesAndShapes) {
    std::ifstream file(REELGRID_SOURCE_DIR "/tests/fixtures/wan/official_parameters.json");
    const json reference = json::parse(file).at(GetParam());
    const auto config = WanTransformerConfig::from(weights::ModelConfig(reference.at("config"), GetParam()));

    Parameters expected = reference.at("rest").get<Parameters>();
    for (std::int64_t layer = 0; layer < config.numLayers; ++layer)
        for (const auto& [name, shape] : reference.at("block").items())
            expected["blocks." + std::to_string(layer) + "." + name] = shape.get<std::vector<std::int64_t>>();

    weights::RecordingWeights recording([&](const std::string& name) { return expected.contains(name); });
    const WanTransformer model(config, weights::WeightScope(recording, at::kBFloat16));
    const Parameters asked(recording.requests().begin(), recording.requests().end());
    EXPECT_EQ(asked.size(), recording.requests().size()) << "a parameter was asked for twice";
    EXPECT_EQ(asked, expected);
}

INSTANTIATE_TEST_SUITE_P(Sizes, OfficialParameters, testing::Values("1.3B", "14B"),
                         [](const auto& testCase) { return testCase.param == "14B" ? "Wan14B" : "Wan1B3"; });

}  // namespace
}  // namespace reelgrid::models::wan
