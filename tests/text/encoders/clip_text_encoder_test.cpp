#include "core/text/encoders/clip_text_encoder.h"

#include <gmock/gmock.h>

#include <map>

#include "core/weights/safetensors_folder.h"
#include "tests/text/text_fixture.h"

namespace reelgrid::text {
namespace {

using testing::HasSubstr;
using weights::ModelConfig;
using weights::WeightScope;
using Parameters = std::map<std::string, std::vector<std::int64_t>>;

const std::filesystem::path kClipFixtures = REELGRID_SOURCE_DIR "/tests/fixtures/clip";

ClipTextEncoder tinyClip(const std::string& name, at::ScalarType dtype) {
    weights::SafetensorsFolder source(kClipFixtures / name);
    return {ClipTextConfig::from(ModelConfig::read(kClipFixtures / name)), WeightScope(source, dtype)};
}

class ClipTextParity : public testing::TestWithParam<std::string> {};

TEST_P(ClipTextParity, MatchesTheReference) {
    const ClipTextEncoder encoder = tinyClip(GetParam(), at::kFloat);
    const bool giant = GetParam() == "giant";
    EXPECT_EQ(encoder.config().projection == ClipTextConfig::Projection::Learned, giant);
    weights::SafetensorsFolder outputs(kClipFixtures / (GetParam() + "-outputs.safetensors"));
    for (int i = 0; i < 4; ++i) {
        const auto expected = [&](const std::string& name, std::vector<std::int64_t> shape = {77, 32}) {
            return outputs.require(std::to_string(i) + "." + name, shape);
        };
        const at::Tensor ids = expected("ids", {77});
        const auto out = encoder.forward({ids.const_data_ptr<std::int64_t>(), 77});
        EXPECT_LE(relativeError(out.last_NC, expected("last")), 1e-5);
        EXPECT_LE(relativeError(encoder.skipping(out, 0), expected("last")), 1e-5);
        for (int skip = 1; skip <= 2; ++skip) {
            const std::string number = std::to_string(skip);
            EXPECT_LE(relativeError(encoder.skipping(out, skip), expected("skip" + number)), 1e-5);
            EXPECT_LE(relativeError(out.layers_NC.at(out.layers_NC.size() - std::size_t(skip)),
                                    expected("raw" + number)),
                      1e-5);
        }
        EXPECT_LE(relativeError(out.pooled_P, expected("pooled", {giant ? 40 : 32})), 1e-5);
        const double bf16 = relativeError(
            tinyClip(GetParam(), at::kBFloat16).forward({ids.const_data_ptr<std::int64_t>(), 77}).last_NC,
            expected("last"));
        EXPECT_LE(bf16, 0.1);
        EXPECT_GT(bf16, 1e-4) << "bf16 was not used";
    }
}

INSTANTIATE_TEST_SUITE_P(Encoders, ClipTextParity, testing::Values("large", "giant"),
                         [](const auto& testCase) { return testCase.param; });

TEST(ClipTextEncoder, HasTheOfficialParametersWhicheverWayTheyAreNested) {
    const auto models = nlohmann::json::parse(readFile(kClipFixtures / "official_parameters.json").value());
    for (const auto& [name, official] : models.items()) {
        const auto config = ClipTextConfig::from(ModelConfig(official.at("config"), name));
        const auto expected = official.at("parameters").get<Parameters>();
        const bool projected = expected.contains("text_projection.weight");
        for (const std::string below : {"", "text_model."}) {
            Parameters renamed;
            for (const auto& [key, shape] : expected) {
                const std::string plain = key.starts_with("text_model.") ? key.substr(11) : key;
                renamed[plain == "text_projection.weight" ? plain : below + plain] = shape;
            }
            weights::RecordingWeights recording(
                [&](const std::string& key) { return renamed.contains(key); });
            const ClipTextEncoder encoder(config, WeightScope(recording, at::kHalf));
            EXPECT_EQ(Parameters(recording.requests().begin(), recording.requests().end()), renamed) << name;
            EXPECT_EQ(encoder.config().projection == ClipTextConfig::Projection::Learned, projected);
        }
    }
}

TEST(ClipTextEncoder, TakesNoProjectionOfAPooledVectorThatNobodyReads) {
    weights::RecordingWeights recording(
        [](const std::string& key) { return key == "text_projection.weight"; });
    const ClipTextEncoder encoder({}, WeightScope(recording, at::kHalf), ClipTextEncoder::Pooled::Unread);
    EXPECT_FALSE(recording.requests().empty());
    for (const auto& [name, shape] : recording.requests()) EXPECT_NE(name, "text_projection.weight");
    weights::SafetensorsFolder source(kClipFixtures / "giant");
    const ClipTextEncoder unread(ClipTextConfig::from(ModelConfig::read(kClipFixtures / "giant")),
                                 WeightScope(source, at::kFloat), ClipTextEncoder::Pooled::Unread);
    const std::vector<std::int64_t> ids{62, 63};
    const auto out = unread.forward(ids), whole = tinyClip("giant", at::kFloat).forward(ids);
    EXPECT_TRUE(at::equal(out.last_NC, whole.last_NC));
    EXPECT_FALSE(out.pooled_P.defined());
}

TEST(ClipTextEncoder, RefusesWhatItCannotTakeNamingIt) {
    const ClipTextEncoder encoder = tinyClip("large", at::kFloat);
    const auto forward = [&](std::vector<std::int64_t> ids) {
        return failureOf([&] { (void)encoder.forward(ids); });
    };
    EXPECT_THAT(forward(std::vector<std::int64_t>(78, 1)), HasSubstr("78 tokens, 1 to 77"));
    EXPECT_THAT(forward({1, 64}), HasSubstr("token id 64"));
    EXPECT_THAT(forward({}), HasSubstr("0 tokens"));
    const std::vector<std::int64_t> ids{62, 63};
    const auto out = encoder.forward(ids);
    EXPECT_THAT(failureOf([&] { (void)encoder.skipping(out, 4); }), HasSubstr("clip_skip is 4, 0 to 3"));
    for (const nlohmann::json& change : {nlohmann::json{{"hidden_act", "relu"}},
                                         {{"model_type", "t5"}},
                                         {{"hidden_size", 30}},
                                         {{"layer_norm_eps", 0}}})
        EXPECT_THAT(failureOf([&] { (void)ClipTextConfig::from(ModelConfig(change, "config.json")); }),
                    HasSubstr(change.begin().key()));
}

}  // namespace
}  // namespace reelgrid::text
