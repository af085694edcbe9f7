#include "core/text/encoders/umt5_encoder.h"

#include <gmock/gmock.h>

#include <set>

#include "core/safetensors/header.h"
#include "core/safetensors/mapped_file.h"
#include "core/text/encoders/umt5_original.h"
#include "core/weights/safetensors_folder.h"
#include "core/weights/scalar_type.h"
#include "tests/text/text_fixture.h"

namespace reelgrid::text {
namespace {

using testing::HasSubstr;
using weights::ModelConfig;
using weights::WeightScope;

constexpr double kTolerance = 1e-4;

at::Tensor fixtureTensor(const std::string& file, const std::string& name) {
    const auto map = safetensors::MappedFile::open(kFixtures / file);
    const auto entry = safetensors::readHeader(map->bytes(), file).at(name);
    return at::from_blob(const_cast<char*>(map->bytes().data()) + entry.begin, entry.shape,
                         at::TensorOptions().dtype(weights::scalarTypeOf(entry.dtype)))
        .clone();
}

Umt5Encoder tinyEncoder(at::ScalarType dtype) {
    weights::SafetensorsFolder source(kFixtures / "tiny-umt5");
    return {Umt5Config::read(ModelConfig::read(kFixtures / "tiny-umt5")), WeightScope(source, dtype)};
}

double errorAt(const Umt5Encoder& encoder, int count) {
    const std::string file = "tiny-umt5-outputs.safetensors";
    const at::Tensor ids = fixtureTensor(file, std::to_string(count) + ".ids");
    const at::Tensor hidden =
        encoder.forward({ids.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(ids.numel())});
    return relativeError(hidden, fixtureTensor(file, std::to_string(count) + ".hidden"));
}

TEST(Umt5Encoder, MatchesTheReferenceAtEveryLength) {
    const Umt5Encoder encoder = tinyEncoder(at::kFloat);
    for (const int count : {1, 2, 9, 77, 300, 512}) {
        const double error = errorAt(encoder, count);
        EXPECT_LE(error, kTolerance) << count << " tokens";
        RecordProperty("relative_error_" + std::to_string(count), std::to_string(error));
    }
}

TEST(Umt5Encoder, RunsInBfloat16) {
    EXPECT_LE(errorAt(tinyEncoder(at::kBFloat16), 77), 0.1);
}

TEST(Umt5Encoder, RejectsAnIdOutsideItsVocabulary) {
    const std::vector<std::int64_t> ids{5, 320, 1};
    EXPECT_THAT(failureOf([&] { (void)tinyEncoder(at::kFloat).forward(ids); }),
                HasSubstr("token id 320 is outside the text encoder's vocabulary of 320"));
}

TEST(Umt5Encoder, HasTheOfficialXxlParameters) {
    weights::RecordingWeights recording(hasOneTable);
    const Umt5Config config =
        Umt5Config::read(ModelConfig(fixtureJson("umt5-xxl-config.json"), "umt5-xxl-config.json"));
    const Umt5Encoder encoder(config, WeightScope(recording, at::kBFloat16));
    std::map<std::string, std::vector<std::int64_t>> asked;
    for (const auto& [name, shape] : recording.requests())
        EXPECT_TRUE(asked.emplace(name, shape).second) << name;
    const auto expected =
        fixtureJson("umt5-xxl-parameters.json").get<std::map<std::string, std::vector<std::int64_t>>>();
    EXPECT_EQ(asked, expected);
}

TEST(Umt5Config, OfTheShapesOfAnXxlFileWithFewerBlocksIsRefused) {
    const auto shapes =
        fixtureJson("umt5-xxl-parameters.json").get<std::map<std::string, std::vector<std::int64_t>>>();
    const auto readWith = [&](int blocks) {
        const auto shapeOf = [&](const std::string& name) -> std::optional<std::vector<std::int64_t>> {
            const std::string block = "encoder.block.";
            const auto found = shapes.find(name);
            if (found == shapes.end()) return std::nullopt;
            if (name.starts_with(block) && std::stoi(name.substr(block.size())) >= blocks)
                return std::nullopt;
            return found->second;
        };
        return umt5ConfigOf(shapeOf, Umt5Names::Transformers, "umt5.pth");
    };
    EXPECT_EQ(readWith(24).layers, 24);
    EXPECT_EQ(failureOf([&] { (void)readWith(23); }),
              "umt5.pth: it has 23 layers of 4096 channels, 24 were needed");
}

TEST(Umt5Encoder, UsesEveryTensorOfTheDemoModel) {
    weights::SafetensorsFolder source(kDemoModel / "text_encoder");
    weights::RecordingWeights recording(hasOneTable);
    const Umt5Config config = Umt5Config::read(ModelConfig::read(kDemoModel / "text_encoder"));
    const Umt5Encoder encoder(config, WeightScope(recording, at::kFloat));
    // The file holds the embedding under both of its names.
    std::set<std::string> asked{"encoder.embed_tokens.weight"};
    for (const auto& [name, shape] : recording.requests()) asked.insert(name);
    for (const std::string& name : source.names()) EXPECT_TRUE(asked.contains(name)) << name;
    EXPECT_EQ(asked.size(), source.names().size());
}

TEST(Umt5Config, RefusesOtherArchitecturesAndSizes) {
    const auto messageWith = [](const char* key, const nlohmann::json& value) {
        nlohmann::json json = fixtureJson("umt5-xxl-config.json");
        json[key] = value;
        return failureOf([&] { (void)Umt5Config::read(ModelConfig(json, "config.json")); });
    };
    EXPECT_THAT(messageWith("feed_forward_proj", "relu"), HasSubstr("feed_forward_proj is \"relu\""));
    EXPECT_THAT(messageWith("dense_act_fn", "silu"), HasSubstr("\"gelu_new\""));
    EXPECT_THAT(messageWith("model_type", "t5"), HasSubstr("model_type is \"t5\""));
    EXPECT_THAT(messageWith("num_layers", 0), HasSubstr("num_layers is 0"));
    EXPECT_THAT(messageWith("d_model", 1 << 20), HasSubstr("d_model is 1048576"));
    EXPECT_THAT(messageWith("relative_attention_num_buckets", 6), HasSubstr("a multiple of 4"));
    EXPECT_THAT(messageWith("relative_attention_max_distance", 8), HasSubstr("more than 8"));
}

}  // namespace
}  // namespace reelgrid::text
